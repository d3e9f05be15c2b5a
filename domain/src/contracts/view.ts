import type * as z from 'zod/mini';

export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The read-only TypeScript type of the responses that a schema describes. */
export type View<Schema extends z.ZodMiniType> = DeepReadonly<z.output<Schema>>;
