import { describe, expect, it } from "vitest";
import { en, zh } from "@/i18n/policies";
import {
  changedPolicies,
  POLICIES,
  policyNames,
  policyText,
  policyValues,
  unknownPolicies,
  withPolicy,
} from "./policies";

describe("policies", () => {
  it("are sent as the values that were typed", () => {
    const typed = {
      time_limit: "2h", budget: "5400", disk_reserve: "5GiB", no_signal: "0",
      kl_explosion: "2.5", retries: "-1", nan_loss: false, nan_metrics: ["42"],
    }; // biome-ignore format: a list
    expect(policyValues(typed)).toEqual({
      time_limit: "2h", budget: 5400, disk_reserve: "5GiB", no_signal: 0,
      kl_explosion: 2.5, retries: -1, nan_loss: false, nan_metrics: ["42"],
    }); // biome-ignore format: a list
  });

  it("that say nothing of the kind are left to the checks, unknown ones too", () => {
    const odd = { retries: "many", kl_explosion: "1e", time_limit: "-", later: "7" };
    expect(policyValues(odd)).toEqual(odd);
    expect(unknownPolicies(odd)).toEqual(["later"]);
  });

  it("go back to what is usual when their field is emptied", () => {
    const written = { retries: 2, later: 1 };
    expect(withPolicy(written, "retries", " ")).toEqual({ later: 1 });
    expect(withPolicy(written, "retries", undefined)).toEqual({ later: 1 });
    expect(withPolicy({ nan_metrics: ["a"] }, "nan_metrics", [])).toEqual({});
    expect(withPolicy(written, "no_signal", "0")).toEqual({ ...written, no_signal: "0" });
    expect(withPolicy(written, "nan_loss", false)).toEqual({ ...written, nan_loss: false });
  });

  it("read as their fields show them", () => {
    expect([policyText(undefined), policyText(7200), policyText("2h")]).toEqual(["", "7200", "2h"]);
    expect(policyNames("train/loss")).toEqual(["train/loss"]);
    expect([policyNames(undefined), policyNames(["a", 1])]).toEqual([[], ["a", "1"]]);
  });

  it("count as changed only where they differ from what is usual", () => {
    const written = { retries: "0", no_signal: "0", nan_loss: false };
    expect(changedPolicies(written, POLICIES).map((one) => one.name)).toEqual([
      "nan_loss",
      "no_signal",
    ]);
  });

  it("have a name and a meaning in both languages", () => {
    for (const texts of [en, zh]) {
      for (const { name } of POLICIES) {
        expect(texts.one[name].title).not.toBe("");
        expect(texts.one[name].text).not.toBe("");
      }
    }
  });
});
