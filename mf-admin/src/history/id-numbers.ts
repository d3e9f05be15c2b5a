import type { ChangeView } from '@alpenglow/domain/contracts';

/** The id of an entry of a list in the name of a field, e.g. of a review. Posts have numbers and not ids. */
const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** An id in changes. Readers see its number, and the id itself only in the technical details. */
export interface NumberedId {
  /** The field that contains the id, e.g. `reviews`, `photos` or `video`. */
  readonly field: string;
  readonly id: string;
  /** The number of the id among the ids of the field, from 1, in the order in which they occur. */
  readonly number: number;
}

/** Numbers the reviews, photos and videos in changes. Photos and videos before a change come first. */
export function numberIds(changes: readonly Pick<ChangeView, 'field' | 'before' | 'after'>[]): readonly NumberedId[] {
  const numbered: NumberedId[] = [];
  const add = (field: string, id: string) => {
    const ofField = numbered.filter((entry) => entry.field === field);
    if (ofField.every((entry) => entry.id !== id)) numbered.push({ field, id, number: ofField.length + 1 });
  };
  for (const { field, before, after } of changes) {
    const [first = '', second = ''] = field.split('.');
    if (ID.test(second)) add(first, second);
    if (isMediaField(field)) for (const value of [before, after]) for (const id of toMediaIds(value)) add(field, id);
  }
  return numbered;
}

/** Checks whether the values of a field are ids of photos or videos. */
export const isMediaField = (field: string): field is 'photos' | 'video' => field === 'photos' || field === 'video';

/** Returns the ids in a value of such a field. */
export function toMediaIds(value: ChangeView['after']): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/**
 * Replaces the id in the name of a field with its number, e.g. `reviews.2.rating`. The only entry of its field needs no
 * number, e.g. `reviews.rating`.
 */
export function withoutId(field: string, numbered: readonly NumberedId[]): string {
  const [first = '', second = '', ...rest] = field.split('.');
  const entry = numbered.find(({ field: of, id }) => of === first && id === second);
  if (!entry) return field;
  const isOnly = numbered.filter(({ field: of }) => of === first).length === 1;
  return [first, ...(isOnly ? [] : [String(entry.number)]), ...rest].join('.');
}
