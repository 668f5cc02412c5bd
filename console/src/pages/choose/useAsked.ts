import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { askedOf } from "./asked";

/** What the address says, and a way to change it. `push` makes a step that Back goes back. */
export function useAsked() {
  const search: Record<string, string> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (changes: Record<string, string>, push = false) =>
      void navigate({ to: "/choose", search: { ...search, ...changes }, replace: !push }),
    [navigate, search],
  );
  return { asked: askedOf(search), set };
}
