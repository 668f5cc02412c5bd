import { Skeleton, Stack } from "@mantine/core";

/** Grey lines where content will be; nothing for the first moment, so fast answers don't flash. */
export function Loading({ lines = 6 }: { lines?: number }) {
  return (
    <Stack gap="sm" aria-busy="true" py="sm">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={index} height={14} width={`${90 - ((index * 17) % 45)}%`} />
      ))}
    </Stack>
  );
}
