import { LOCALE_NAMES, LOCALES } from '@alpenglow/ui';
import type { ReactNode } from 'react';
import { chooseLocale, useCurrentLocale } from '../locale/locale.ts';
import { useText } from '../text.ts';
import { THEMES } from '../theme/theme-choice.ts';
import { chooseTheme, useTheme } from '../theme/theme.ts';
import styles from './choices.module.css';

interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** Whether the label is seen, or only spoken. */
  readonly labelled: boolean;
  readonly values: readonly Value[];
  readonly current: Value;
  readonly onChoose: (value: Value) => void;
  readonly nameOf: (value: Value) => ReactNode;
  /** The language of a value's name, where it is not the page's. */
  readonly languageOf?: (value: Value) => string;
}

function Choice<Value extends string>({
  label,
  labelled,
  values,
  current,
  onChoose,
  nameOf,
  languageOf,
}: ChoiceProps<Value>) {
  return (
    <div role="group" aria-label={label} className={styles['choice']}>
      {labelled && (
        <span className={styles['label']} aria-hidden="true">
          {label}
        </span>
      )}
      <div className={styles['values']}>
        {values.map((value) => (
          <button
            key={value}
            type="button"
            lang={languageOf?.(value)}
            aria-pressed={value === current}
            className={styles['value']}
            onClick={() => onChoose(value)}
          >
            {nameOf(value)}
          </button>
        ))}
      </div>
    </div>
  );
}

interface Props {
  readonly labelled?: boolean;
}

/** The languages of the site, each in its own words. A change keeps the page as it stands. */
export function LanguageChoice({ labelled = false }: Props) {
  const t = useText();
  return (
    <Choice
      label={t('language')}
      labelled={labelled}
      values={LOCALES}
      current={useCurrentLocale()}
      onChoose={chooseLocale}
      nameOf={(locale) => LOCALE_NAMES[locale]}
      languageOf={(locale) => locale}
    />
  );
}

export function ThemeChoice({ labelled = false }: Props) {
  const t = useText();
  return (
    <Choice
      label={t('appearance')}
      labelled={labelled}
      values={THEMES}
      current={useTheme()}
      onChoose={chooseTheme}
      nameOf={(theme) => t(`theme.${theme}`)}
    />
  );
}
