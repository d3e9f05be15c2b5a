import { createElement, useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { I18nProvider, Trans, useLingui } from '@lingui/react';
import {
  activateLocale,
  addTexts,
  i18n,
  isLoaded,
  loadLocale,
  sourceText,
  t,
  type Catalog,
  type CatalogLoaders,
  type TextValues,
  type Translate,
  type UiTextId,
} from './i18n.ts';
import { FORMATS, type Locale } from './locales.ts';

export interface LocalizedProps {
  readonly locale: Locale;
  /** Shown until the first language is there; a later change keeps the texts that stand until the new ones have come. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** The outermost element of a package: everything below it speaks the visitor's language. */
export function Localized({ locale, fallback = null, children }: LocalizedProps) {
  const [isReady, setReady] = useState(() => {
    if (isLoaded(locale)) activateLocale(locale);
    return isLoaded(locale);
  });
  useEffect(() => {
    let isWanted = true;
    const show = () => {
      if (!isWanted) return;
      if (i18n.locale !== locale) activateLocale(locale);
      setReady(true);
    };
    // Texts that cannot be fetched are shown in the source language: better read than missing.
    loadLocale(locale).then(show, show);
    return () => {
      isWanted = false;
    };
  }, [locale]);
  return <I18nProvider i18n={i18n}>{isReady ? children : fallback}</I18nProvider>;
}

export interface RichTextProps<Id extends string> {
  readonly id: Id;
  readonly values?: TextValues;
  /** Name of a tag in the text → the element it stands for: `Write to <mail>us</mail>`. */
  readonly components: Readonly<Record<string, ReactElement>>;
}

/** The texts of one catalog: its own ids and those of `ui`. */
export function textsOf<Texts extends Catalog>(texts: Texts, others: CatalogLoaders) {
  type Id = (keyof Texts & string) | UiTextId;
  addTexts(texts, others);
  return {
    /** For components: they are shown anew when the language changes. */
    useText: useUiText as () => Translate<Id>,
    /** For code outside React. */
    t: t as Translate<Id>,
    /** A text with elements in it. */
    RichText: ({ id, values, components }: RichTextProps<Id>) =>
      createElement(Trans, { id, message: sourceText(id), ...(values && { values }), components: { ...components } }),
  };
}

/** `textsOf(…).useText` for `ui`'s own components. */
export function useUiText(): Translate<UiTextId> {
  useLingui();
  return t;
}

/** The language with its way of writing numbers and dates, BCP 47, for `Intl`: `de-CH`. */
export function useLocale(): string {
  return FORMATS[useLingui().i18n.locale as Locale];
}
