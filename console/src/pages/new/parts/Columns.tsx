import { Box, Group, Select, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldId } from "../form/fields";
import { columnsOf, mapped, wantedColumns } from "../form/rows";
import { useForm } from "../form/useForm";
import { FieldFindings } from "./Findings";
import { useFirstRows } from "./Preview";

/** Which column of the data the method reads as which of its own. */
export function Columns() {
  const { t } = useTranslation("newJob");
  const { draft, set, recipe } = useForm();
  const { rows } = useFirstRows("train", draft.data.train);
  const columns = columnsOf(rows ?? []);
  const { shape, missing } = wantedColumns(recipe.data_spec.shapes, columns, draft.map);
  const [asked] = useState(Object.keys(draft.map).length > 0);
  const needed = missing.length > 0 || Object.keys(draft.map).length > 0 || asked;
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
