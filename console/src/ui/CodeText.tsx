import { Code } from "@mantine/core";

/** Plain text in which `words between backquotes` are code, as all messages of the server are. */
export function CodeText({ children }: { children: string }) {
  const parts = children.split(/`([^`]+)`/);
  return (
    <>
      {parts.map((part, index) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
        index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
      )}
    </>
  );
}
