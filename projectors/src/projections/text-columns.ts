import { AD_FIELDS, type AdText, type TextValues } from '@alpenglow/domain';

type TextColumns<Name extends AdText> = {
  readonly [N in Name]: null extends TextValues<Name>[N] ? 'text' : 'text not null';
};

/** Returns the columns with the texts of an ad. The columns have the names of the texts. */
export function textColumnsOf<Name extends AdText>(names: readonly Name[]): TextColumns<Name> {
  return Object.fromEntries(
    names.map((name) => [name, AD_FIELDS[name].empty === null ? 'text' : 'text not null']),
  ) as TextColumns<Name>;
}
