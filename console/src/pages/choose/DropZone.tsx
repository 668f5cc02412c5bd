import { Button, FileButton, Progress, Select, Stack, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type DragEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { uploadBlob } from "@/api/upload";
import { Problem } from "@/ui/Problem";
import { datasetsQuery } from "../new/form/calls";
import classes from "./choose.module.css";
import { useAsked } from "./useAsked";

const READABLE = ".jsonl,.ndjson,.json,.csv,.tsv";

/** Drop a file or pick one: it is uploaded, and the address then names it. */
export function DropZone() {
  const { t } = useTranslation("choose");
  const { set } = useAsked();
  const [over, setOver] = useState(false);
  const [share, setShare] = useState(0);
  const upload = useMutation({
    mutationFn: async (file: File) => {
      setShare(0);
      return { digest: await uploadBlob(file, setShare), file: file.name };
    },
    onSuccess: (found) => set({ ...found, dataset: "", map: "", answers: "" }, true),
  });
  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file && !upload.isPending) upload.mutate(file);
  }
  return (
    <section aria-label={t("dropTitle")}>
      <div
        className={classes.drop}
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Stack align="center" gap={8}>
          <Text size="sm" fw={500}>
            {t("dropTitle")}
          </Text>
          <Text size="xs" c="dimmed">
            {t("dropText")}
          </Text>
          <FileButton accept={READABLE} onChange={(file) => file && upload.mutate(file)}>
            {(props) => (
              <Button
                {...props}
                variant="default"
                leftSection={<IconUpload size={14} />}
                loading={upload.isPending}
              >
                {t("pick")}
              </Button>
            )}
          </FileButton>
          {upload.isPending && (
            <Progress w="100%" size="sm" value={share * 100} aria-label={t("uploading")} />
          )}
        </Stack>
      </div>
      {upload.error && <Problem error={upload.error} title={t("uploadFailed")} />}
      <Registered />
    </section>
  );
}

/** Data the server has under a name; nothing where there are none. */
function Registered() {
  const { t } = useTranslation("choose");
  const { set } = useAsked();
  const datasets = useQuery(datasetsQuery).data ?? [];
  if (datasets.length === 0) return null;
  return (
    <Select
      searchable
      mt="sm"
      label={t("registered")}
      placeholder={t("pickDataset")}
      value={null}
      data={datasets.map((one) => ({ value: one.ref, label: one.ref.replace(/^dataset:/, "") }))}
      onChange={(ref) => {
        const one = datasets.find((dataset) => dataset.ref === ref);
        if (!one) return;
        const dataset = one.ref.replace(/^dataset:/, "");
        const file = one.file ?? "data.jsonl";
        set({ digest: one.digest, file, dataset, map: "", answers: "" }, true);
      }}
    />
  );
}
