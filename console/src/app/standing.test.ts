import { describe, expect, it } from "vitest";
import { ApiError } from "@/api/client";
import { standing } from "./standing";

const refused = new ApiError("auth/token", "no", null, 401);
const away = new ApiError("network", "no", null, 0);

describe("standing", () => {
  it("tells a first visit from a session that ended", () => {
    expect(standing("unknown", false, refused)).toBe("out");
    expect(standing("in", true, refused)).toBe("ended");
    expect(standing("ended", false, refused)).toBe("ended");
  });

  it("leaves the page as it is while the server is asked again or away", () => {
    for (const before of ["unknown", "in", "out", "ended"] as const) {
      expect(standing(before, false, null)).toBe(before);
      expect(standing(before, true, away)).toBe(before);
    }
  });

  it("lets in whom the server knows", () => {
    for (const before of ["unknown", "in", "out", "ended"] as const) {
      expect(standing(before, true, null)).toBe("in");
    }
  });
});
