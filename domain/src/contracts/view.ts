import type * as z from 'zod/mini';

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The type of a response with this schema. */
export type View<Schema extends z.ZodMiniType> = DeepReadonly<z.output<Schema>>;
