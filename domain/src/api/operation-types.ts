import type * as z from 'zod/mini';

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

/** A path or query parameter as the API document describes it. */
export interface DescribedParameter {
  readonly schema: z.ZodMiniType;
  readonly description: string;
  readonly example: string | number;
}

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
