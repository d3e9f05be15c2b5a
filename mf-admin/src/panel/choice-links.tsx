import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router-dom';
import { LinkChips } from '@alpenglow/ui';

/** Returns the value of a URL parameter if it is one of `choices`. Otherwise, returns `fallback`. */
export function useChoice<Choice extends string, Fallback extends Choice | null>(
  parameter: string,
  choices: readonly Choice[],
  fallback: Fallback,
): Choice | Fallback {
  const [search] = useSearchParams();
  return choices.find((choice) => choice === search.get(parameter)) ?? fallback;
}

export interface ChoiceLinksProps<Choice extends string | null> {
  /** Accessible name of the navigation. */
  readonly label: string;
  /** URL of the list without the parameter. This URL shows the first choice. */
  readonly path: string;
  readonly parameter: string;
  readonly choices: readonly Choice[];
  readonly selected: Choice;
  readonly labelOf: (choice: Choice) => ReactNode;
}

/** Links that select a part of a list, e.g. only drafts. Each link sets a URL parameter. */
export function ChoiceLinks<Choice extends string | null>({
  label,
  path,
  parameter,
  choices,
  selected,
  labelOf,
}: ChoiceLinksProps<Choice>) {
  const links = choices.map((choice, index) => ({
    to: index === 0 ? path : `${path}?${parameter}=${choice}`,
    label: labelOf(choice),
    isCurrent: choice === selected,
  }));
  return <LinkChips label={label} links={links} />;
}
