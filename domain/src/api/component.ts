import * as z from 'zod/mini';
import type { DescribedParameter, OperationResponse } from './operation-types.ts';

/**
 * Registers the components of the API document (OpenAPI), such as schemas and parameters. Each component gets a unique
 * name where it is defined. Wherever the API uses the same object, the document refers to this name.
 */

const responseSchemas = new Map<string, z.ZodMiniType>();
const requestSchemas = new Map<string, z.ZodMiniType>();
const sharedSchemas = new Map<string, z.ZodMiniType>();
const fieldGroups = new Set<string>();
const parameters = new Map<string, DescribedParameter>();
const responses = new Map<string, OperationResponse>();
const names = new Map<object, string>();

/** The schemas of JSON responses by name. A response contains exactly the declared properties. */
export const RESPONSE_SCHEMAS: ReadonlyMap<string, z.ZodMiniType> = responseSchemas;
/** The schemas of JSON request bodies by name. Unknown properties are ignored. */
export const REQUEST_SCHEMAS: ReadonlyMap<string, z.ZodMiniType> = requestSchemas;

/** The schemas of values that several request or response bodies contain, by name. */
export const SHARED_SCHEMAS: ReadonlyMap<string, z.ZodMiniType> = sharedSchemas;

/** The names of the groups of properties that several response schemas contain. */
export const FIELD_GROUPS: ReadonlySet<string> = fieldGroups;

/** Returns the name under which a component was registered. Returns null if the object is not a component. */
export function getComponentName(value: object): string | null {
  return names.get(value) ?? null;
}

export function registerResponseSchema<Schema extends z.ZodMiniType>(name: string, schema: Schema): Schema {
  return register(responseSchemas, name, schema);
}

export function registerRequestSchema<Schema extends z.ZodMiniType>(name: string, schema: Schema): Schema {
  return register(requestSchemas, name, schema);
}

export function registerSharedSchema<Schema extends z.ZodMiniType>(name: string, schema: Schema): Schema {
  return register(sharedSchemas, name, schema);
}

/** Registers the schema of a JSON object that responses contain. */
export function registerView<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  return registerResponseSchema(name, z.object(shape));
}

/** Registers the schema of a JSON request body. */
export function registerBody<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  return registerRequestSchema(name, z.object(shape));
}

/** Registers the schema of a JSON object that several request or response bodies contain. */
export function registerSharedObject<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  return registerSharedSchema(name, z.object(shape));
}

/**
 * Registers properties that several response schemas contain. The API document describes these properties once. Returns
 * the properties.
 */
export function registerFields<const Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape): Shape {
  registerSharedObject(name, shape);
  fieldGroups.add(name);
  return shape;
}

export function registerParameter<const Value extends DescribedParameter>(name: string, parameter: Value): Value {
  return register(parameters, name, parameter);
}

/** Returns a parameter with a stricter schema, which the API document describes with the same component. */
export function withStricterSchema<Schema extends z.ZodMiniType>(parameter: DescribedParameter, schema: Schema) {
  const stricter = { ...parameter, schema };
  const name = getComponentName(parameter);
  if (name !== null) names.set(stricter, name);
  return stricter;
}

export function registerResponse<Response extends OperationResponse>(name: string, response: Response): Response {
  return register(responses, name, response);
}

/** Registers a component of the API document. Throws if another component already has the name. */
function register<Kind extends object, Value extends Kind>(kind: Map<string, Kind>, name: string, value: Value): Value {
  if (kind.has(name)) throw new Error(`Two components of the API document have the name ${name}`);
  kind.set(name, value);
  names.set(value, name);
  return value;
}
