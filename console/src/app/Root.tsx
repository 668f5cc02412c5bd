import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ApiError } from "@/api/client";
import { sessionQuery } from "@/api/session";
import { Problem } from "@/ui/Problem";
import { Shell } from "./Shell";
import { SignIn } from "./SignIn";

/** Signed in: the shell. Else: the sign-in. A server that is away is said and asked again. */
export function Root() {
  const session = useQuery({
    ...sessionQuery,
    refetchInterval: (query) => (query.state.error ? 3000 : false),
  });
  if (session.data) return <Shell />;
  if (session.error instanceof ApiError && session.error.signedOut) return <SignIn />;
  return (
    <Center mih="100dvh" p="md">
      {session.error ? (
        <Problem error={session.error} onRetry={() => void session.refetch()} />
      ) : (
        <Loader size="sm" aria-label="StarForge" />
      )}
    </Center>
  );
}
