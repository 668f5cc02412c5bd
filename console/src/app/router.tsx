/** Every address of the console. Pages load when they are first visited. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { loadTab, preloadJob } from "@/pages/job/preload";
import { client } from "./client";
import { CrashPage, NotFoundPage } from "./ErrorPages";
import { Root } from "./Root";

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
});

/** Keep what the page knows of the address's query as plain text; pages parse it themselves. */
function anySearch(search: Record<string, unknown>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") {
      kept[name] = typeof value === "object" ? JSON.stringify(value) : String(value);
    }
  }
  return kept;
}

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/jobs", replace: true });
  },
});

const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  beforeLoad: () => {
    throw redirect({ to: "/jobs", replace: true, hash: window.location.hash.slice(1) });
  },
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/jobs/JobsPage"), "JobsPage"),
});

/** `/jobs/ID/charts`: the tab is part of the path, so every tab has an address. */
const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$job",
  validateSearch: anySearch,
  beforeLoad: ({ params, search }) => preloadJob(client, params.job, undefined, search),
  component: lazyRouteComponent(() => import("@/pages/job/JobPage"), "JobPage"),
});

const jobTab = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$job/$tab",
  validateSearch: anySearch,
  beforeLoad: ({ params, search }) => preloadJob(client, params.job, params.tab, search),
  loader: ({ params }) => loadTab(params.tab),
  component: lazyRouteComponent(() => import("@/pages/job/JobPage"), "JobPage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/jobs/ComparePage"), "ComparePage"),
});

const pipelines = createRoute({
  getParentRoute: () => root,
  path: "/pipelines",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/pipelines/PipelinesPage"), "PipelinesPage"),
});

const pipeline = createRoute({
  getParentRoute: () => root,
  path: "/pipelines/$run",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/pipeline/PipelinePage"), "PipelinePage"),
});

const sweeps = createRoute({
  getParentRoute: () => root,
  path: "/sweeps",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/sweeps/SweepsPage"), "SweepsPage"),
});

const sweep = createRoute({
  getParentRoute: () => root,
  path: "/sweeps/$run",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/sweep/SweepPage"), "SweepPage"),
});

const board = createRoute({
  getParentRoute: () => root,
  path: "/board",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/board/BoardPage"), "BoardPage"),
});

/** `?a=MODEL&b=MODEL`: two models item by item. */
const scores = createRoute({
  getParentRoute: () => root,
  path: "/board/compare",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/board/ScoresPage"), "ScoresPage"),
});

const methods = createRoute({
  getParentRoute: () => root,
  path: "/methods",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/methods/MethodsPage"), "MethodsPage"),
});

const method = createRoute({
  getParentRoute: () => root,
  path: "/methods/$framework/$name",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/method/MethodPage"), "MethodPage"),
});

const choose = createRoute({
  getParentRoute: () => root,
  path: "/choose",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/choose/ChoosePage"), "ChoosePage"),
});

/** `?method=trl/sft` starts from a method. */
const newJob = createRoute({
  getParentRoute: () => root,
  path: "/new",
  validateSearch: anySearch,
  component: lazyRouteComponent(() => import("@/pages/new/NewJobPage"), "NewJobPage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("@/pages/settings/SettingsPage"), "SettingsPage"),
});

const tree = root.addChildren([
  home, login, jobs, job, jobTab, compare, pipelines, pipeline, sweeps, sweep, board, scores, methods, method, choose, newJob, settings,
]); // biome-ignore format: a list of routes

export const router = createRouter({
  routeTree: tree,
  defaultPreload: "intent",
  scrollRestoration: true,
  // Texts like `1` and `true` in an address stay texts.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== "",
    );
    const text = new URLSearchParams(
      entries.map(([name, value]) => [name, String(value)]),
    ).toString();
    return text ? `?${text}` : "";
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
