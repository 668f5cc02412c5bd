import { Box, Group, SegmentedControl, Select, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { bestShape, columnsOf, mapped, missingOf } from "@/format/rows";
import { fieldId } from "../form/fields";
import { useForm } from "../form/useForm";
import { FieldFindings } from "./Findings";
import { useFirstRows } from "./Preview";

/** Which column of the data the method reads as which of its own. */
export function Columns() {
  const { t } = useTranslation("newJob");
  const { draft, set, recipe } = useForm();
  const { rows } = useFirstRows("train", draft.data.train);
  const columns = columnsOf(rows ?? []);
  const { shapes } = recipe.data_spec;
  const [chosen, setChosen] = useState<number | null>(null);
  const place = chosen ?? bestShape(shapes, columns, draft.map);
  const shape = shapes[place] ?? [];
  const missing = missingOf(shape, columns, draft.map);
  const needed = missing.length > 0 || Object.keys(draft.map).length > 0 || chosen !== null;
  if (columns.length === 0 || shape.length === 0 || !needed) return null;
  const source = (wanted: string) =>
    Object.entries(draft.map).find(([, to]) => to === wanted)?.[0] ??
    (columns.includes(wanted) && !draft.map[wanted] ? wanted : null);
  return (
    <Box id={fieldId("data.map")}>
      <Text size="xs" fw={500} mb={2}>
        {t("data.columns")}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {t("data.columnsText")}
      </Text>
      {shapes.length > 1 && (
        <SegmentedControl
          size="xs"
          mb={6}
          aria-label={t("data.columns")}
          value={String(place)}
          onChange={(value) => setChosen(Number(value))}
          data={shapes.map((one, index) => ({ value: String(index), label: one.join(" + ") }))}
        />
      )}
      <Group gap="sm" align="flex-end">
        {shape.map((wanted) => (
          <Select
            key={wanted}
            w={170}
            clearable
            label={<span className="sf-mono">{wanted}</span>}
            placeholder={t("data.pickColumn")}
            error={missing.includes(wanted)}
            value={source(wanted)}
            data={columns}
            onChange={(column) => set({ map: mapped(draft.map, wanted, column ?? "") })}
          />
        ))}
      </Group>
      <FieldFindings field="data.map" />
    </Box>
  );
}
