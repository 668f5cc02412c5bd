import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconBinaryTree,
  IconBook2,
  IconChartDots,
  IconGitBranch,
  IconLanguage,
  IconListDetails,
  IconMoon,
  IconPlugConnectedX,
  IconPlus,
  IconSettings,
  IconSun,
  IconTrophy,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { LiveUpdates, useConnected } from "@/api/live";
import { serverQuery } from "@/api/queries";
import { currentLanguage, setLanguage } from "@/i18n";
import { focusSearch, useKeys } from "./keys";
import { Shortcuts } from "./Shortcuts";

const PLACES = [
  { to: "/jobs", label: "nav.jobs", icon: IconListDetails },
  { to: "/pipelines", label: "nav.pipelines", icon: IconGitBranch },
  { to: "/sweeps", label: "nav.sweeps", icon: IconChartDots },
  { to: "/board", label: "nav.board", icon: IconTrophy },
  { to: "/methods", label: "nav.methods", icon: IconBook2 },
  { to: "/choose", label: "nav.choose", icon: IconBinaryTree },
  { to: "/settings", label: "nav.settings", icon: IconSettings },
] as const;

/** Whether a page belongs to a place of the navigation; jobs are compared among the jobs. */
function isAt(path: string, place: string): boolean {
  return path.startsWith(place) || (place === "/jobs" && path.startsWith("/compare"));
}

/** Switch the language; what the server has said is asked for again. */
export function useSwitchLanguage(): (language: "en" | "zh") => void {
  const client = useQueryClient();
  return (language) => void setLanguage(language).then(() => client.invalidateQueries());
}

/** The frame of every page: navigation, machine, connection; keys that work everywhere. */
export function Shell() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [menu, { toggle, close }] = useDisclosure();
  const [help, helpHandlers] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const switchLanguage = useSwitchLanguage();
  const connected = useConnected();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new page closes the menu
  useEffect(close, [path]);

  const toggleScheme = () => setColorScheme(scheme === "dark" ? "light" : "dark");
  const toggleLanguage = () => switchLanguage(currentLanguage() === "zh" ? "en" : "zh");
  useKeys({
    "?": helpHandlers.toggle,
    "/": focusSearch,
    "g j": () => void navigate({ to: "/jobs" }),
    "g m": () => void navigate({ to: "/methods" }),
    "g c": () => void navigate({ to: "/choose" }),
    "g n": () => void navigate({ to: "/new" }),
    "g p": () => void navigate({ to: "/pipelines" }),
    "g s": () => void navigate({ to: "/sweeps" }),
    "g b": () => void navigate({ to: "/board" }),
    "g ,": () => void navigate({ to: "/settings" }),
    "g t": toggleScheme,
    "g l": toggleLanguage,
  });

  return (
    <AppShell
      navbar={{ width: 208, breakpoint: "sm", collapsed: { mobile: !menu } }}
      header={{ height: 48, collapsed: false }}
      layout="alt"
      styles={{ header: { display: undefined } }}
    >
      <LiveUpdates />
      <Shortcuts opened={help} onClose={helpHandlers.close} />
      <a className="sf-skip" href="#content">
        {t("nav.skip")}
      </a>
      <AppShell.Header hiddenFrom="sm" px="sm">
        <Group h="100%" gap="sm">
          <Burger opened={menu} onClick={toggle} size="sm" aria-label={t("nav.open")} />
          <Brand />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" bg="var(--sf-panel)" aria-label={t("nav.main")}>
        <Group justify="space-between" mb="md" px={6} pt={4}>
          <Brand />
          <Burger
            hiddenFrom="sm"
            opened={menu}
            onClick={toggle}
            size="sm"
            aria-label={t("actions.close")}
          />
        </Group>
        <Button
          component={Link}
          to="/new"
          leftSection={<IconPlus size={15} />}
          size="sm"
          mb="sm"
          justify="flex-start"
        >
          {t("nav.newJob")}
        </Button>
        <ScrollArea style={{ flex: 1 }}>
          {PLACES.map((place) => (
            <NavLink
              key={place.to}
              component={Link}
              to={place.to}
              label={t(place.label)}
              leftSection={<place.icon size={17} stroke={1.6} />}
              active={isAt(path, place.to)}
              aria-current={isAt(path, place.to) ? "page" : undefined}
              py={6}
              style={{ borderRadius: 6 }}
            />
          ))}
        </ScrollArea>
        <Machine />
        <Group gap={4} mt="xs">
          <Tooltip label={scheme === "dark" ? t("theme.light") : t("theme.dark")}>
            <ActionIcon onClick={toggleScheme} aria-label={t("shortcuts.theme")}>
              {scheme === "dark" ? <IconSun size={17} /> : <IconMoon size={17} />}
            </ActionIcon>
          </Tooltip>
          <Tooltip label={currentLanguage() === "zh" ? "English" : "简体中文"}>
            <ActionIcon onClick={toggleLanguage} aria-label={t("shortcuts.language")}>
              <IconLanguage size={17} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t("shortcuts.title")}>
            <ActionIcon onClick={helpHandlers.open} aria-label={t("shortcuts.help")}>
              <Text span fw={600}>
                ?
              </Text>
            </ActionIcon>
          </Tooltip>
        </Group>
      </AppShell.Navbar>
      <AppShell.Main
        id="content"
        tabIndex={-1}
        pt={{ base: 48, sm: 0 }}
        style={{ outline: "none", display: "flex", flexDirection: "column", minHeight: "100dvh" }}
      >
        {!connected && (
          <Alert
            color="yellow"
            radius={0}
            py={6}
            icon={<IconPlugConnectedX size={16} />}
            role="status"
          >
            {t("connection.lost")}
          </Alert>
        )}
        <Box style={{ flex: 1, minHeight: 0 }}>
          <Outlet />
        </Box>
      </AppShell.Main>
    </AppShell>
  );
}

function Brand() {
  return (
    <Link to="/jobs" className="sf-link" aria-label="StarForge">
      <Group gap={7} wrap="nowrap">
        <img src="/favicon.svg" alt="" width={19} height={19} />
        <Text span fw={650} size="md">
          StarForge
        </Text>
      </Group>
    </Link>
  );
}

function Machine() {
  const { t } = useTranslation();
  const { data } = useQuery(serverQuery);
  if (!data) return null;
  const { machine } = data;
  return (
    <Text size="xs" c="dimmed" px={6}>
      {t("machine.cpus", { free: machine.cpus_free, all: machine.cpus })}
      {machine.gpus && machine.gpus.length > 0 && (
        <>
          <br />
          {t("machine.gpus", { free: machine.gpus_free, all: machine.gpus.length })}
        </>
      )}
    </Text>
  );
}
