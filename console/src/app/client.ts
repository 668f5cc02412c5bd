/** What the page knows of the server, kept for all its parts. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/client";
import { isSignedOut } from "./standing";

/** A session that ended anywhere ends everywhere: the sign-in is shown. */
function askWhoIsSignedIn(error: unknown): void {
  if (isSignedOut(error)) void client.invalidateQueries({ queryKey: ["session"] });
}

export const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] !== "session") askWhoIsSignedIn(error);
    },
  }),
  mutationCache: new MutationCache({ onError: askWhoIsSignedIn }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => error instanceof ApiError && error.away && failures < 4,
      refetchOnWindowFocus: true,
    },
  },
});
