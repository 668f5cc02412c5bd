import { Alert, Button, Center, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import { signInWithCode, signInWithToken } from "@/api/session";
import { CodeText } from "@/ui/CodeText";
import { CommandBlock } from "@/ui/CommandBlock";
import { Problem } from "@/ui/Problem";

/** The code of a one-time link. It stands after `#`, which browsers never send to a server. */
export function codeOf(hash: string): string | null {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code");
}

/** Sign-in: by the one-time link `sf open` gives, or with the server's token; the address stays. */
export function SignIn({ ended }: { ended: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const tried = useRef(false);

  async function enter(request: Promise<unknown>) {
    setBusy(true);
    setError(null);
    try {
      await request;
      await client.resetQueries();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a code is used once, at the start
  useEffect(() => {
    const code = codeOf(window.location.hash);
    if (!code || tried.current) return;
    tried.current = true;
    // Out of the address at once: it would stay in the browser's history.
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    void enter(signInWithCode(code));
  }, []);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (token.trim()) void enter(signInWithToken(token.trim()));
  }

  return (
    <Center mih="100dvh" px="md" component="main">
      <Stack w={380} gap="md">
        <Title order={1}>{t("signIn.title")} · StarForge</Title>
        {ended && (
          <Alert color="yellow" role="status">
            {t("signIn.ended")}
          </Alert>
        )}
        <Text size="sm">{t("signIn.how")}</Text>
        <CommandBlock text="sf open" />
        <Divider label={t("signIn.or")} />
        <form onSubmit={submit}>
          <Stack gap="sm">
            <PasswordInput
              label={t("signIn.token")}
              description={<CodeText>{t("signIn.tokenHint")}</CodeText>}
              value={token}
              onChange={(event) => setToken(event.currentTarget.value)}
              autoComplete="current-password"
            />
            <Button type="submit" loading={busy} size="sm">
              {t("signIn.submit")}
            </Button>
          </Stack>
        </form>
        {error instanceof ApiError && error.code === "auth/used-code" ? (
          <Alert color="yellow">{t("signIn.wrong")}</Alert>
        ) : (
          error !== null && <Problem error={error} title={t("signIn.title")} />
        )}
      </Stack>
    </Center>
  );
}
