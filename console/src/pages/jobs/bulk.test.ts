import { describe, expect, it, vi } from "vitest";
import { inParts, MOST, matchingIds, namedFirst } from "./bulk";
import { parseView } from "./view";

// The client takes both when it is loaded; addresses are relative to the page's.
const net = vi.hoisted(() => {
  const made = { answer: async (_: Request): Promise<unknown> => null };
  globalThis.Request = class extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(typeof input === "string" ? new URL(input, "http://server") : input, init);
    }
  };
  globalThis.fetch = async (input) => Response.json(await made.answer(input as Request));
  return made;
});

/** Answer requests as the server would; what was asked is kept. */
function serve(answer: (request: Request) => unknown): Request[] {
  const asked: Request[] = [];
  net.answer = async (request) => {
    asked.push(request.clone());
    return answer(request);
  };
  return asked;
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `job-${at}`);

describe("matchingIds", () => {
  it("asks page by page for what the view shows, the oldest first", async () => {
    const all = ids(2 * MOST + 3);
    const asked = serve((request) => {
      const page = Number(new URL(request.url).searchParams.get("page"));
      const jobs = all.slice((page - 1) * MOST, page * MOST).map((id) => ({ id }));
      return { jobs, total: all.length };
    });
    const view = parseView({ state: "failed", q: "x", sort: "-name" });
    expect(await matchingIds(view)).toEqual(all);
    const search = asked.map((one) => new URL(one.url).searchParams);
    expect(search.map((one) => one.get("page"))).toEqual(["1", "2", "3"]);
    expect(search[0]?.get("state")).toBe("failed");
    expect(search[0]?.get("search")).toBe("x");
    expect(search[0]?.get("sort")).toBe("created_at");
  });

  it("names a job once that moved to another page, and ends with an empty page", async () => {
    serve((request) => {
      const page = Number(new URL(request.url).searchParams.get("page"));
      const jobs = page === 1 ? ids(MOST) : [{ id: "job-1" }];
      return { jobs: page === 1 ? ids(MOST).map((id) => ({ id })) : jobs, total: MOST + 100 };
    });
    expect(await matchingIds(parseView({}))).toEqual(ids(MOST));
  });
});

describe("inParts", () => {
  it("asks for as many as the server takes at once, and tells how far it is", async () => {
    const asked = serve(async (request) => {
      const body = (await request.json()) as { ids: string[] };
      return body.ids.map((id) => ({ ref: id, id, ok: true }));
    });
    const far: number[] = [];
    const results = await inParts(ids(MOST + 1), "tag", "kept", (count) => far.push(count));
    expect(results).toHaveLength(MOST + 1);
    expect(far).toEqual([MOST, MOST + 1]);
    expect(await asked[1]?.json()).toEqual({
      ids: [`job-${MOST}`],
      action: "tag",
      tags: ["kept"],
      force: false,
    });
  });
});

it("shows jobs whose name is known first", () => {
  expect(namedFirst(["a", "b", "c"], new Map([["c", "see"]]))).toEqual(["c", "a", "b"]);
});
