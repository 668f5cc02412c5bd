/** Languages: English and Simplified Chinese, switched at once and remembered. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { resources } from "./resources";

export const LANGUAGES = { en: "English", zh: "简体中文" } as const;
export type Language = keyof typeof LANGUAGES;
const KEPT = "starforge.language";

/** The remembered language, else the browser's. */
export function initialLanguage(): Language {
  const kept = localStorage.getItem(KEPT);
  if (kept === "en" || kept === "zh") return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function currentLanguage(): Language {
  return i18next.language === "zh" ? "zh" : "en";
}

/** Switch the page; what the server says is asked for again in the new language. */
export async function setLanguage(language: Language): Promise<void> {
  localStorage.setItem(KEPT, language);
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  await i18next.changeLanguage(language);
}

export async function startI18n(): Promise<void> {
  const language = initialLanguage();
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  await i18next.use(initReactI18next).init({
    resources,
    lng: language,
    fallbackLng: "en",
    defaultNS: "common",
    interpolation: { escapeValue: false }, // React escapes
    returnNull: false,
  });
}

/** One of two texts, as the catalog gives them. */
export function both(text: { en: string; zh: string } | null | undefined): string {
  return text ? text[currentLanguage()] : "";
}
