import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "./styles.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { router } from "./app/router";
import { isSignedOut } from "./app/standing";
import { startI18n } from "./i18n";
import { cssVariables, theme } from "./theme";

/** A session that ended anywhere ends everywhere: the sign-in is shown. */
function askWhoIsSignedIn(error: unknown): void {
  if (isSignedOut(error)) void client.invalidateQueries({ queryKey: ["session"] });
}

const client: QueryClient = new QueryClient({
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

async function start(): Promise<void> {
  await startI18n();
  const root = document.getElementById("root");
  if (root === null) throw new Error("index.html has no #root");
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <Notifications position="bottom-right" />
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

void start();
