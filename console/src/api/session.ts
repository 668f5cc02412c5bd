/** Who is signed in. The cookie is the server's and out of reach of scripts. */
import { queryOptions } from "@tanstack/react-query";
import { api, ask } from "./client";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => ask(api.GET("/api/v1/session")),
  staleTime: 60_000,
  retry: false,
});

/** Sign in with the one-time code of a link. */
export function signInWithCode(code: string) {
  return ask(api.POST("/api/v1/session", { body: { code } }));
}

/** Sign in with a token of the server. */
export function signInWithToken(token: string) {
  return ask(api.POST("/api/v1/session", { body: { token } }));
}

export function signOut() {
  return ask(api.DELETE("/api/v1/session"));
}
