import type * as z from 'zod/mini';

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** What an answer of this schema is to whoever reads it. */
export type View<Schema extends z.ZodMiniType> = DeepReadonly<z.output<Schema>>;
