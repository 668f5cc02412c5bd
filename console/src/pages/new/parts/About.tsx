import { Box, SimpleGrid, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Section } from "@/ui/Section";
import { fieldId } from "../form/fields";
import { useForm } from "../form/useForm";
import { FieldFindings, useInvalid } from "./Findings";

/** Name, tags and a sentence or two. */
export function About() {
  const { t } = useTranslation("newJob");
  const { draft, set } = useForm();
  return (
    <Section title={t("about.title")}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="xs">
        <Box id={fieldId("name")}>
          <TextInput
            label={t("about.name")}
            value={draft.name}
            maxLength={200}
            error={useInvalid("name")}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <FieldFindings field="name" />
        </Box>
        <Box id={fieldId("tags")}>
          <TagsInput
            size="xs"
            label={t("about.tags")}
            placeholder={draft.tags.length > 0 ? "" : t("about.tagsHint")}
            value={draft.tags}
            error={useInvalid("tags")}
            onChange={(tags) => set({ tags })}
          />
          <FieldFindings field="tags" />
        </Box>
      </SimpleGrid>
      <Box id={fieldId("description")} mt="xs">
        <Textarea
          size="xs"
          autosize
          minRows={1}
          maxRows={6}
          label={t("about.description")}
          value={draft.description}
          error={useInvalid("description")}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
        <FieldFindings field="description" />
      </Box>
    </Section>
  );
}
