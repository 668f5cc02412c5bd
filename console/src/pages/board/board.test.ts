import { describe, expect, it } from "vitest";
import {
  choose,
  comparisonSearch,
  externalOf,
  isFiltered,
  jobOf,
  kindOf,
  labelsOf,
  nextSort,
  parseView,
  seenOf,
  tableOf,
  viewSearch,
} from "./board";
import { briefly, columnsOf, errorOf, figureOf, pairsOf, type Score } from "./columns";

let second = 0;

function score(model: string, value: number | null, more: Partial<Score> = {}): Score {
  second += 1;
  return {
    model,
    job: `j${second}`,
    benchmark: "gsm8k",
    metric: "acc",
    value,
    higher_is_better: true,
    settings: { harness: "lm-eval", few_shot: 0 },
    settings_digest: "",
    created_at: new Date(second * 1000).toISOString(),
    ...more,
  };
}

const plain = parseView({});

describe("columns", () => {
  it("holds what differs in nothing but the seed together", () => {
    const columns = columnsOf([
      score("a", 0.1, { settings: { few_shot: 0, harness: "x", seed: 1 } }),
      score("b", 0.2, { settings: { harness: "x", few_shot: 0, seed: 2 } }),
    ]);
    expect(columns).toHaveLength(1);
    expect([...(columns[0]?.cells.keys() ?? [])].sort()).toEqual(["a", "b"]);
  });

  it("numbers other settings, the ones used last first, and says what differs", () => {
    const old = score("a", 0.1, { settings: { harness: "evalscope", few_shot: 5 } });
    const columns = columnsOf([old, score("a", 0.2), score("a", 0.3, { benchmark: "basics" })]);
    expect(columns.map((one) => [one.benchmark, one.number])).toEqual([
      ["basics", 1],
      ["gsm8k", 1],
      ["gsm8k", 2],
    ]);
    expect(columns[2]?.differs).toEqual([
      { key: "harness", here: "evalscope", there: "lm-eval" },
      { key: "few_shot", here: 5, there: 0 },
    ]);
    expect(columns[1]?.differs).toEqual([]);
    expect(new Set(columns.map((one) => one.key)).size).toBe(3);
  });

  it("keeps a column's name in an address whatever else there is", () => {
    const one = score("a", 0.1);
    expect(columnsOf([one])[0]?.key).toBe(columnsOf([one, score("b", 1)])[0]?.key);
    expect(columnsOf([one])[0]?.key).toMatch(/^gsm8k\.[0-9a-f]{8}$/);
  });

  it("tells measures after a filter apart and shows a model's newest score", () => {
    const filtered = (filter: string) => ({ settings: { filter } });
    const columns = columnsOf([
      score("a", 0.1, filtered("none")),
      score("a", 0.2, filtered("strict")),
      score("a", 0.5, filtered("strict")),
    ]);
    expect(columns.map((one) => [one.measure, one.number])).toEqual([
      ["acc", 1],
      ["acc (strict)", 1],
    ]);
    expect(columns[1]?.cells.get("a")?.value).toBe(0.5);
  });

  it("marks the best of several, the lowest where less is better, none of equals", () => {
    const best = (...scores: Score[]) => columnsOf(scores)[0]?.best;
    const less = { higher_is_better: false };
    expect(best(score("a", 0.1), score("b", 0.4), score("c", null))).toBe(0.4);
    expect(best(score("a", 0.1, less), score("b", 0.4, less))).toBe(0.1);
    expect(best(score("a", 0.4), score("b", 0.4))).toBeNull();
    expect(best(score("a", 0.4))).toBeNull();
  });
});

it("results of two models that may be compared, those used last first", () => {
  const sampled = { settings: { decoding: { do_sample: true, temperature: 1 }, limit: 4 } };
  const greedy = { settings: { decoding: { do_sample: false }, limit: 4 } };
  const scores = [
    score("a", 0.1, { ...greedy, job: "a1" }),
    score("b", 0.2, { ...greedy, job: "b1" }),
    score("a", 0.3, { ...sampled, job: "a2" }),
    score("b", 0.4, { ...sampled, job: "b2" }),
    score("b", 0.4, { ...sampled, job: "b2", metric: "f1" }),
    score("a", 0.4, { ...sampled, job: "a2", metric: "f1" }),
    score("c", 0.4, { ...sampled, job: "c1" }),
  ];
  const columns = columnsOf(scores);
  const pairs = pairsOf(columns, ["a", "b"], "gsm8k");
  expect(pairs.map((one) => [one.a, one.b])).toEqual([
    ["a2", "b2"],
    ["a1", "b1"],
  ]);
  expect(pairs[1]?.column.differs.map((one) => one.key)).toEqual([
    "decoding.temperature",
    "decoding.do_sample",
  ]);
  expect(pairsOf(columns, ["a", "b"], "other")).toEqual([]);
  expect(pairsOf(columns, ["c", "d"], "gsm8k")).toEqual([]);
});

it("settings that differ are named on one line, the telling ones first", () => {
  const differs = [
    { key: "decoding.temperature", here: 1, there: null },
    { key: "limit", here: null, there: 16 },
    { key: "system_prompt", here: "x".repeat(60), there: null },
    { key: "filter", here: "a", there: "b" },
  ];
  const said = briefly(differs, "none");
  expect(said).toBe(`temperature 1, limit none, system_prompt ${"x".repeat(31)}… …`);
  expect(briefly(differs.slice(0, 1), "none")).toBe("temperature 1");
});

describe("scores", () => {
  it("count as the mean of their runs, with the deviation between them", () => {
    const runs = { mean: 0.3, deviation: 0.05, values: [0.25, 0.35], jobs: ["x", "y"] };
    const many = score("a", 0.25, { stderr: 0.1, runs });
    expect([figureOf(many), errorOf(many)]).toEqual([0.3, 0.05]);
    expect([figureOf(score("a", null)), errorOf(score("a", 1, { stderr: 0.1 }))]).toEqual([
      null,
      0.1,
    ]);
  });

  it("say whether the training data held the questions, where that can be asked", () => {
    expect(seenOf(score("job:x", 1))).toBe("unknown");
    expect(seenOf(score("org/x", 1))).toBeNull();
    expect(seenOf(score("org/x", 1, { contamination: { seen: 0, items: 9 } }))).toBe("clean");
    expect(seenOf(score("job:x", 1, { contamination: { seen: 2, items: 9 } }))).toBe("seen");
  });
});

describe("models", () => {
  it.each([
    ["job:my-sft@step-4", "job", "my-sft"],
    ["model:base@2", "registered", null],
    ["/data/models/base", "folder", null],
    ["org/base", "hub", null],
    ["starforge:tiny", "builtin", null],
  ])("%s is of the kind %s", (model, kind, job) => {
    expect([kindOf(model), jobOf(model)]).toEqual([kind, job]);
  });

  it("are called by the last part of a folder where that is clear", () => {
    const labels = labelsOf(["/a/base", "/a/tuned/", "/b/tuned", "org/base-x"], []);
    expect([...labels.values()]).toEqual(["base", "/a/tuned/", "/b/tuned", "org/base-x"]);
  });

  it("are called as their job is, with the id where two are called the same", () => {
    const scores = [
      score("job:01A", 0.1, { model_name: "my-sft" }),
      score("job:01A@step-4", 0.1, { model_name: "my-sft" }),
      score("job:01B", 0.1, { model_name: "twice" }),
      score("job:01C", 0.1, { model_name: "twice" }),
      score("job:gone", 0.1),
    ];
    const labels = labelsOf(
      scores.map((one) => one.model),
      scores,
    );
    expect([...labels.values()]).toEqual([
      "my-sft",
      "my-sft@step-4",
      "twice (01B)",
      "twice (01C)",
      "job:gone",
    ]);
  });

  it("that are jobs are found by name and by id", () => {
    const scores = [score("job:01A", 0.1, { model_name: "My-SFT" }), score("b", 0.2)];
    const found = (search: string) => tableOf(scores, { ...plain, search }).models;
    expect([found("my-sft"), found("01a")]).toEqual([["job:01A"], ["job:01A"]]);
  });

  it("of more than two chosen the first stays", () => {
    expect(choose([], "a")).toEqual(["a"]);
    expect(choose(["a", "b"], "c")).toEqual(["a", "c"]);
    expect(choose(["a", "b"], "a")).toEqual(["b"]);
  });
});

describe("view", () => {
  it("goes through the address and back", () => {
    const search = { q: "中文", pack: "a,b", kind: "job", sort: "-model", a: "x", b: "/y z" };
    expect(viewSearch(parseView(search))).toEqual(search);
    expect(viewSearch(parseView({ kind: "odd" }))).toEqual({});
    expect([isFiltered(plain), isFiltered(parseView({ pack: "a" }))]).toEqual([false, true]);
  });

  it("orders by a column, the other way, by name, and without values last", () => {
    const scores = [score("a", 0.1), score("b", 0.4), score("c", null), score("d", 0.2)];
    const key = columnsOf(scores)[0]?.key ?? "";
    const order = (sort: string) => tableOf(scores, { ...plain, sort }).models.join("");
    expect([order(""), order(key), order(`-${key}`)]).toEqual(["bdac", "bdac", "adbc"]);
    expect([order("model"), order("-model")]).toEqual(["abcd", "dcba"]);
    expect([nextSort("", key), nextSort(key, key), nextSort(`-${key}`, key)]).toEqual([
      key,
      `-${key}`,
      "",
    ]);
  });

  it("leads to the comparison of the column in order, else of the only benchmark", () => {
    const scores = [score("a", 0.1, { job: "j1" }), score("b", 0.4, { job: "j2" })];
    const columns = columnsOf(scores);
    const led = (more: object) => comparisonSearch(columns, { ...plain, ...more });
    const chosen = ["a", "b"];
    const models = { a: "a", b: "b" };
    const sort = `-${columns[0]?.key}`;
    expect(led({ chosen, sort })).toEqual({ ...models, pack: "gsm8k", pair: "j1,j2" });
    expect(led({ chosen: ["a", "c"], sort })).toEqual({ a: "a", b: "c" });
    expect(led({ chosen, packs: ["gsm8k"] })).toEqual({ ...models, pack: "gsm8k" });
    expect(led({ chosen })).toEqual(models);
  });

  it("shows what it asks for, and nothing empty beside it", () => {
    const scores = [score("org/a", 1), score("job:b", 0, { benchmark: "basics" })];
    const shown = (more: object) => {
      const { models, columns } = tableOf(scores, { ...plain, ...more });
      return [models, columns.map((one) => one.benchmark)];
    };
    expect(shown({ search: "ORG" })).toEqual([["org/a"], ["gsm8k"]]);
    expect(shown({ packs: ["basics"] })).toEqual([["job:b"], ["basics"]]);
    expect(shown({ kind: "job" })).toEqual([["job:b"], ["basics"]]);
    expect(shown({ kind: "external" })).toEqual([[], []]);
  });

  it("filters scores of others alike", () => {
    const one = {
      id: 1,
      model: "X",
      benchmark: "mmlu",
      metric: "acc",
      value: 1,
      source: "s",
      settings: {},
    };
    const external = [{ ...one, higher_is_better: true, added_at: "" }];
    const shown = (more: object) => externalOf(external, { ...plain, ...more }).length;
    expect([shown({}), shown({ kind: "external" }), shown({ kind: "job" })]).toEqual([1, 1, 0]);
    expect([shown({ search: "x" }), shown({ packs: ["gsm8k"] })]).toEqual([1, 0]);
  });
});
