import {
  ActionIcon,
  Box,
  Button,
  FileButton,
  Group,
  Tabs,
  Text,
  Textarea,
  Tooltip,
} from "@mantine/core";
import { IconArrowBackUp, IconTrash, IconUpload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { uploadBlob } from "@/api/upload";
import { formatBytes } from "@/format/number";
import { Problem } from "@/ui/Problem";
import { Section } from "@/ui/Section";
import { codeFiles, type OwnFile } from "../form/draft";
import { fieldId } from "../form/fields";
import { useForm } from "../form/useForm";
import { FieldFindings } from "./Findings";
import classes from "./setting.module.css";

const EDITABLE = 200 * 1024; // bytes of a file that is edited in the page

interface Shown {
  name: string;
  text: string | null;
  size: number;
  changed: boolean;
}

/** The code of the experiment: the reward, the script; edited here or uploaded. */
export function Files() {
  const { t } = useTranslation("newJob");
  const { draft, set, start } = useForm();
  const shown = filesShown(codeFiles(start), draft.files);
  const [chosen, setChosen] = useState<string | null>(null);
  const active = shown.find((file) => file.name === chosen) ?? shown[0];
  const upload = useMutation({
    mutationFn: async (file: File): Promise<[string, OwnFile]> => [file.name, await read(file)],
    onSuccess: ([name, file]) => {
      set({ files: { ...draft.files, [name]: file } });
      setChosen(name);
    },
  });
  function restore(name: string) {
    const { [name]: _, ...rest } = draft.files;
    set({ files: rest });
  }
  return (
    <Section
      title={t("files.title")}
      actions={
        <FileButton onChange={(file) => file && upload.mutate(file)}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={14} />}
              loading={upload.isPending}
            >
              {t("files.add")}
            </Button>
          )}
        </FileButton>
      }
    >
      {upload.error && <Problem error={upload.error} title={t("data.uploadFailed")} />}
      {!active && (
        <Text size="xs" c="dimmed">
          {t("files.none")}
        </Text>
      )}
      {active && (
        <Tabs value={active.name} onChange={setChosen}>
          <Tabs.List>
            {shown.map((file) => (
              <Tabs.Tab
                key={file.name}
                value={file.name}
                px="sm"
                py={6}
                maw="100%"
                styles={{ tabLabel: { minWidth: 0 } }}
              >
                <Text span inherit truncate className={`sf-mono ${classes.file}`} title={file.name}>
                  {file.name}
                </Text>
                {file.changed && <Text span size="xs" c="dimmed">{` · ${t("files.edited")}`}</Text>}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={active.name} pt="xs">
            <Group gap={4} wrap="nowrap" align="flex-start">
              <Content
                file={active}
                onChange={(text) => set({ files: { ...draft.files, [active.name]: { text } } })}
              />
              <Group gap={2} style={{ flexDirection: "column" }}>
                {active.changed && (
                  <Tooltip label={t("files.restore")}>
                    <ActionIcon
                      aria-label={t("files.restore")}
                      onClick={() => restore(active.name)}
                    >
                      <IconArrowBackUp size={14} />
                    </ActionIcon>
                  </Tooltip>
                )}
                <Tooltip label={t("files.remove")}>
                  <ActionIcon
                    aria-label={t("files.remove")}
                    onClick={() => set({ files: without(draft.files, active.name, start) })}
                  >
                    <IconTrash size={14} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            </Group>
          </Tabs.Panel>
        </Tabs>
      )}
      <Box id={fieldId("files")}>
        <FieldFindings field="files" />
      </Box>
    </Section>
  );
}

function Content({ file, onChange }: { file: Shown; onChange: (text: string) => void }) {
  const { t } = useTranslation("newJob");
  if (file.text === null) {
    return (
      <Text size="xs" c="dimmed" style={{ flex: 1 }} py="xs">
        {t("files.notText", { size: formatBytes(file.size) })}
      </Text>
    );
  }
  return (
    <Textarea
      aria-label={file.name}
      classNames={{ input: `sf-mono ${classes.code}` }}
      autosize
      minRows={6}
      maxRows={26}
      size="xs"
      spellCheck={false}
      style={{ flex: 1 }}
      value={file.text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The files as they will be: those it starts from, with what was edited, added and removed. */
function filesShown(from: ReturnType<typeof codeFiles>, own: Record<string, OwnFile>): Shown[] {
  const kept = from
    .filter((file) => !(file.name in own))
    .map(({ name, text, size }) => ({ name, text: text ?? null, size, changed: false }));
  const changed = Object.entries(own).flatMap(([name, file]) => {
    if (file === null) return [];
    const text = "text" in file ? file.text : null;
    const size = "text" in file ? file.text.length : file.size;
    return [{ name, text, size, changed: true }];
  });
  return [...kept, ...changed].sort((a, b) => a.name.localeCompare(b.name));
}

/** Files without `name`: one the experiment starts from is marked as left out. */
function without(
  own: Record<string, OwnFile>,
  name: string,
  start: Parameters<typeof codeFiles>[0],
): Record<string, OwnFile> {
  const { [name]: _, ...rest } = own;
  const there = codeFiles(start).some((file) => file.name === name);
  return there ? { ...rest, [name]: null } : rest;
}

/** Small text is edited in the page; anything else is uploaded as it is. */
async function read(file: File): Promise<OwnFile> {
  if (file.size <= EDITABLE) {
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      return { text };
    } catch {
      // not text
    }
  }
  return { digest: await uploadBlob(file), size: file.size };
}
