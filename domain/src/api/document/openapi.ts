/** TypeScript types for the parts of OpenAPI 3.1 that the API document uses. */

export type JsonSchema = Readonly<Record<string, unknown>>;

/** A reference to a component. Its description, if present, replaces the description of the component. */
export interface Reference {
  readonly $ref: string;
  readonly description?: string;
}

interface MediaTypeObject {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>;
}

export type Content = Readonly<Record<string, MediaTypeObject>>;

export interface HeaderObject {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface RequestBodyObject {
  readonly required: boolean;
  readonly content: Content;
}

/**
 * Alternative security requirements. A request must fulfill at least one of the alternatives. To fulfill an
 * alternative, the request must satisfy all its security schemes.
 */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[];

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Absent if the operation has the default security requirements of the document. */
  readonly security?: SecurityRequirements;
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject | Reference;
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly jsonSchemaDialect: string;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: SecurityRequirements;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, ParameterObject>>;
    readonly requestBodies: Readonly<Record<string, RequestBodyObject>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}
