import { describe, expect, it } from "vitest";
import type { Finding } from "@/api/client";
import { entriesOf } from "../../method/parameters";
import type { Parameter } from "../../method/recipe";
import { type Bundle, bodyOf, codeFiles, draftOf, folderName, isTouched } from "./draft";
import { byField, fieldOf } from "./fields";
import { dropDraft, keepDraft, keptDraft, keptDrafts } from "./kept";

const RATE = { name: "learning_rate", type: "float", group: "optimizer" } as Parameter;
const ENTRIES = entriesOf([RATE], []);
const DIGEST = "a".repeat(64);

// biome-ignore-start lint/suspicious/noThenProperty: the experiment's own key
function bundle(values: Partial<Bundle["values"]> = {}): Bundle {
  return {
    name: "new",
    method: "trl/sft",
    values: {
      name: "new", method: "trl/sft", base: null, model: "starforge:tiny", teacher: null,
      reward: null, data: { train: { digest: DIGEST, file: "train.jsonl" } }, map: {},
      params: { learning_rate: 0.001 }, config: "", resources: "local", policies: {}, then: [],
      description: "", tags: [], priority: 0, sets: [], ...values,
    },
    request: { bundle: DIGEST, sets: [], profile: null, inputs: [], replace: {} },
    files: ["experiment.yaml", "config.yaml", "recipe.lock.json", "README.md", "reward.py"].map(
      (name) => ({ name, size: 1, sha256: DIGEST, executable: false, text: "x" }),
    ),
    commands: "",
  }; // biome-ignore format: one line a thought
}
// biome-ignore-end lint/suspicious/noThenProperty: the experiment's own key

describe("a draft", () => {
  it("that nobody touched asks for what it began with, and for the sample by leaving it out", () => {
    const start = bundle();
    const draft = draftOf(start, "first");
    expect(draft.data).toEqual({ train: { sample: true } });
    const body = bodyOf(draft, ENTRIES, start);
    expect(body.data).toBeUndefined();
    expect(body.params).toEqual({ learning_rate: 0.001 });
    expect(body).toMatchObject({ name: "first", model: "starforge:tiny", files: {} });
    expect(isTouched(draft, draftOf(start, "first"))).toBe(false);
  });

  it("sends values, not the texts they were typed as", () => {
    const start = bundle();
    const draft = { ...draftOf(start, "n"), params: { learning_rate: "5e-7", unknown: "7" } };
    expect(bodyOf(draft, ENTRIES, start).params).toEqual({ learning_rate: 5e-7, unknown: "7" });
  });

  it("keeps policies as they are typed, and sends what they stand for", () => {
    const start = bundle({ policies: { time_limit: 7200, later: "x" } });
    const draft = draftOf(start, "n");
    draft.policies = { ...draft.policies, no_signal: "0", budget: "8h" };
    expect(bodyOf(draft, ENTRIES, start).policies).toEqual({
      time_limit: 7200,
      later: "x",
      no_signal: 0,
      budget: "8h",
    });
    expect(draft.policies.no_signal).toBe("0");
  });

  it("names the sample's rows once another split stands beside them", () => {
    const start = bundle();
    const draft = draftOf(start, "n");
    draft.data.validation = { reference: "dataset:v@1" };
    expect(bodyOf(draft, ENTRIES, start).data).toMatchObject({
      train: { digest: DIGEST },
      validation: { reference: "dataset:v@1" },
    });
    draft.data = {};
    expect(bodyOf(draft, ENTRIES, start).data).toEqual({});
    draft.data = { train: { digest: "", file: "" }, validation: { reference: "" } };
    expect(bodyOf(draft, ENTRIES, start).data).toEqual({});
  });

  it("of a job keeps the job's rows as uploaded ones and starts from its files", () => {
    const start = bundle({ base: "j1" });
    const draft = draftOf(start, "n");
    expect(draft.data.train).toEqual({ digest: DIGEST, file: "train.jsonl" });
    draft.files = { "reward.py": { text: "def" }, "old.py": null };
    expect(bodyOf(draft, ENTRIES, start)).toMatchObject({
      base: "j1",
      files: { "reward.py": { text: "def" }, "old.py": null },
    });
  });

  it("shows the code of the experiment, not what the form itself writes", () => {
    expect(codeFiles(bundle()).map((file) => file.name)).toEqual(["reward.py"]);
  });
});

describe("folderName", () => {
  it.each([
    ["训练 一号", "训练-一号"],
    ["<img src=x>", "img-src-x"],
    ["a/../b", "a-..-b"],
    ["...", "experiment"],
    ["", "experiment"],
    ["长".repeat(60), "长".repeat(33)],
  ])("makes %s %s", (name, folder) => {
    expect(folderName(name)).toBe(folder);
  });
});

function finding(more: Partial<Finding>): Finding {
  return { code: "x/y", severity: "error", message: "m", ...more } as Finding;
}

describe("fieldOf", () => {
  const draft = draftOf(bundle({ base: "j" }), "n");
  draft.data = { train: { sample: true }, validation: { digest: DIGEST, file: "held.csv" } };
  it.each([
    [{ file: "experiment.yaml", key: "params.learning_rate" }, "params.learning_rate"],
    [{ file: "experiment.yaml", key: "then.0.benchmark" }, "then"],
    [{ file: "experiment.yaml", key: "policies.budget" }, "policies.budget"],
    [{ file: "experiment.yaml", key: "policies.patience" }, "policies"],
    [{ file: "experiment.yaml", key: "policies" }, "policies"],
    [{ file: "experiment.yaml", key: "data.map.prompt" }, "data.map"],
    [{ file: "experiment.yaml", key: "data.validation" }, "data.validation"],
    [{ file: "config.yaml", key: "optim" }, "config"],
    [{ file: "data/train.jsonl", line: 3 }, "data.train"],
    [{ file: "data/held.jsonl", line: 3 }, "data.validation"],
    [{ file: "reward.py", line: 3 }, "files"],
    [{ file: "experiment.yaml", key: "model" }, "model"],
    [{ file: "recipe.lock.json" }, null],
    [{}, null],
  ])("%j is of %s", (more, field) => {
    expect(fieldOf(finding(more), draft)).toBe(field);
  });

  it("puts errors before warnings in a field", () => {
    const found = byField(
      [
        finding({ key: "model", severity: "info" }),
        finding({ key: "model", severity: "error", code: "first" }),
        finding({}),
      ],
      draft,
    );
    expect(found.get("model")?.[0]?.code).toBe("first");
    expect(found.get("")).toHaveLength(1);
  });
});

describe("kept drafts", () => {
  it("come back with what a draft has today, and only for the same method", () => {
    const start = draftOf(bundle(), "n");
    keepDraft("?method=trl/sft", { ...start, name: "mine" }, "n1");
    expect(keptDraft("?method=trl/sft", start)?.draft.name).toBe("mine");
    expect(keptDraft("?method=trl/sft", { ...start, method: "trl/dpo" })).toBeNull();
    dropDraft("?method=trl/sft");
    expect(keptDraft("?method=trl/sft", start)).toBeNull();
  });
  it("are listed, the newest first, with as many as are kept", () => {
    const start = draftOf(bundle(), "n");
    for (let place = 0; place < 14; place += 1) {
      keepDraft(`method=trl/sft&model=${place}`, { ...start, name: `n${place}` }, "n");
    }
    const found = keptDrafts();
    expect(found).toHaveLength(12);
    expect(found.map((one) => one.at)).toEqual(found.map((one) => one.at).sort((a, b) => b - a));
  });
  it("survive a broken storage", () => {
    localStorage.setItem("starforge.drafts", "{broken");
    expect(keptDraft("a", draftOf(bundle(), "n"))).toBeNull();
  });
});
