import { Center, Loader } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { sessionQuery } from "@/api/session";
import { Problem } from "@/ui/Problem";
import { Shell } from "./Shell";
import { SignIn } from "./SignIn";
import { isSignedOut, type Standing, standing } from "./standing";

/** Signed in: the shell. Else: the sign-in. A server that is away is said and asked again. */
export function Root() {
  const session = useQuery({
    ...sessionQuery,
    refetchInterval: ({ state }) => (state.error && !isSignedOut(state.error) ? 3000 : false),
  });
  const before = useRef<Standing>("unknown");
  const now = standing(before.current, session.data !== undefined, session.error);
  before.current = now;
  if (now === "in") return <Shell />;
  if (now !== "unknown") return <SignIn ended={now === "ended"} />;
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
