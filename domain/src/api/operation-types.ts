import type * as z from 'zod/mini';
import type { ErrorCode } from '../error-catalogue.ts';

export type ResponseHeader =
  | 'ETag'
  | 'X-Position'
  | 'Location'
  | 'Content-Range'
  | 'Accept-Ranges'
  | 'Content-Length'
  | 'Idempotency-Replayed'
  | 'Upload-Length'
  | 'Upload-Offset'
  | 'Upload-Expires';

/** A path or query parameter. */
export interface Parameter {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  readonly example: string | number;
  /**
   * The error of a path parameter that does not match the schema. A path parameter without a code is any text, which
   * its handler looks up.
   */
  readonly errorCode?: ErrorCode;
}

/** The parameters of an operation by name. */
export type ParametersByName = Readonly<Record<string, Parameter>>;

/**
 * A response of an operation. If `schema` is set, the body is JSON. Otherwise, the body is bytes or text of one of the
 * `contentTypes`. If `contentTypes` is empty, the response has no body.
 */
export interface OperationResponse<Schema extends z.ZodMiniType | null = z.ZodMiniType | null> {
  readonly description: string;
  readonly schema: Schema;
  readonly contentTypes: readonly string[];
  readonly headers: readonly ResponseHeader[];
}
