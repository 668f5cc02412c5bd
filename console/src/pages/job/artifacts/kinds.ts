import { useTranslation } from "react-i18next";

/** Names what an output is (`checkpoint`: 检查点); a kind that is not known as it is written. */
export function useKindText(): (kind: string) => string {
  const { t } = useTranslation("job");
  return (kind) => t(`artifacts.kinds.${kind}` as "artifacts.kinds.model", { defaultValue: kind });
}
