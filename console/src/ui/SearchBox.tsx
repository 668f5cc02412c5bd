import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  value: string;
  onChange: (value: string) => void;
  label: string;
  width?: number | string;
}

const PAUSE = 250; // ms without a key before the search starts

/** A search field; `/` goes to it (see `app/keys`). Tells its value after a pause in typing. */
export function SearchBox({ value, onChange, label, width = 240 }: Props) {
  const { t } = useTranslation();
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) {
      told.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      onChange(text);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <TextInput
      data-search
      wrapperProps={{ "data-wide": true }}
      w={width}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} />}
      rightSection={
        text && (
          <CloseButton size="xs" aria-label={t("actions.clear")} onClick={() => setText("")} />
        )
      }
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // A browser would empty the field; one leaves it here for what it has found.
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}
