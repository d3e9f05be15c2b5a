import { createElement, Suspense, use, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { I18nProvider, Trans, useLingui } from '@lingui/react';
import { getFirstRenderData } from '../host/rendering.ts';
import {
  activateLocale,
  addTexts,
  i18n,
  isLoaded,
  loadLocale,
  getSourceText,
  t,
  type Catalog,
  type CatalogLoaders,
  type TextValues,
  type Translate,
  type UiTextId,
} from './i18n.ts';
import { FORMAT_LOCALES, type Locale } from './locales.ts';

export interface LocaleProviderProps {
  readonly locale: Locale;
  /**
   * The content until the texts of the first language have loaded. After a later change of the language, the old texts
   * stay visible until the new texts have loaded.
   */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** The root component of a package. All texts in `children` are in the visitor's language. */
export function LocaleProvider({ locale, fallback = null, children }: LocaleProviderProps) {
  // The server-rendered HTML contains no Suspense boundary, see `lazyPart`.
  const [isComplete] = useState(() => getFirstRenderData() !== undefined || isLoaded(locale));
  const content = <ActiveLocale locale={locale}>{children}</ActiveLocale>;
  return isComplete ? content : <Suspense fallback={fallback}>{content}</Suspense>;
}

/** The running attempts to load the texts of a language. They never reject. */
const loads = new Map<Locale, Promise<void>>();
/** The languages whose texts could not be loaded. The texts of the source language are shown instead. */
const failedLocales = new Set<Locale>();

function loadFirst(locale: Locale): Promise<void> {
  // Pages that are loaded later add texts, so a later render may need another attempt.
  const load =
    loads.get(locale) ??
    loadLocale(locale)
      .catch(() => void failedLocales.add(locale))
      .finally(() => loads.delete(locale));
  loads.set(locale, load);
  return load;
}

function ActiveLocale({ locale, children }: Omit<LocaleProviderProps, 'fallback'>) {
  const [first] = useState(() => {
    if (isLoaded(locale)) activateLocale(locale);
    return { locale, isLoaded: isLoaded(locale) };
  });
  // The texts are loaded before hydration. If they are missing then, the load failed, so it is not awaited again.
  if (!first.isLoaded && !globalThis.alpenglowHydration && !failedLocales.has(first.locale))
    use(loadFirst(first.locale));
  useEffect(() => {
    let isCurrent = true;
    const show = () => {
      if (isCurrent && i18n.locale !== locale) activateLocale(locale);
    };
    loadLocale(locale).then(show, show);
    return () => {
      isCurrent = false;
    };
  }, [locale]);
  return <I18nProvider i18n={i18n}>{children}</I18nProvider>;
}

export interface RichTextProps<Id extends string> {
  readonly id: Id;
  readonly values?: TextValues;
  /** Elements by tag name. For example, `mail` replaces the tag in `Write to <mail>us</mail>`. */
  readonly components: Readonly<Record<string, ReactElement>>;
}

/** Adds a catalog of texts. Returns functions that translate the ids of this catalog and the ids of `ui`. */
export function registerTexts<Texts extends Catalog>(texts: Texts, catalogLoaders: CatalogLoaders) {
  type Id = (keyof Texts & string) | UiTextId;
  addTexts(texts, catalogLoaders);
  return {
    /** Returns the translate function. A component that calls this hook is rendered again when the language changes. */
    useText: useUiText as () => Translate<Id>,
    /** Translates a text outside of React components. */
    t: t as Translate<Id>,
    /** Renders a text that contains React elements, such as links. */
    RichText: ({ id, values, components }: RichTextProps<Id>) =>
      createElement(Trans, {
        id,
        message: getSourceText(id),
        ...(values && { values }),
        components: { ...components },
      }),
  };
}

/** Returns the translate function for components of `ui`. */
export function useUiText(): Translate<UiTextId> {
  useLingui();
  return t;
}

/** Returns the locale for `Intl` (BCP 47), e.g. `de-CH`. */
export function useLocale(): string {
  return FORMAT_LOCALES[useLingui().i18n.locale as Locale];
}
