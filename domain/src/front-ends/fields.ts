import * as z from 'zod/mini';
import { registerRequestSchema } from '../api/component.ts';
import { FRONT_END_ERRORS, FRONT_END_NAME, VIEW_STATES, VITALS } from './measures.ts';

/** Maximum number of errors, and of measured values, in one report. */
const ENTRIES_MAX = 20;
/** Maximum number of views in one report. A page sends each view by itself, or with its first error. */
const VIEWS_MAX = 4;
const INVALID = 'This is not a report about a front end';

/** The content hash of a deployment. It is empty if the browser does not know it. */
const hash = z.string(INVALID).check(z.regex(/^(?:[0-9a-f]{16})?$/u, INVALID));
const version = { frontEnd: z.string(INVALID).check(z.regex(FRONT_END_NAME, INVALID)), hash };

const frontEndError = z.object({ ...version, kind: z.enum(FRONT_END_ERRORS, INVALID) }, INVALID);
const measuredValue = z.object(
  {
    ...version,
    vital: z.enum(VITALS, INVALID),
    value: z.number(INVALID).check(z.minimum(0, INVALID), z.maximum(600_000, INVALID)),
  },
  INVALID,
);

const view = z.object({ ...version, state: z.enum(VIEW_STATES, INVALID) }, INVALID);

/**
 * Request body of `POST /front-ends/reports`. A browser reports views, errors and measured speeds of front ends. A
 * report contains no data about the visitor, no URL of a page and no text of an error.
 */
export const frontEndReportFields = registerRequestSchema(
  'FrontEndReport',
  z.object({
    views: z.optional(z.array(view, INVALID).check(z.maxLength(VIEWS_MAX, INVALID))),
    errors: z.optional(z.array(frontEndError, INVALID).check(z.maxLength(ENTRIES_MAX, INVALID))),
    vitals: z.optional(z.array(measuredValue, INVALID).check(z.maxLength(ENTRIES_MAX, INVALID))),
  }),
);
export type FrontEndReport = z.output<typeof frontEndReportFields>;
export type FrontEndError = z.output<typeof frontEndError>;
export type MeasuredValue = z.output<typeof measuredValue>;
export type FrontEndView = z.output<typeof view>;
