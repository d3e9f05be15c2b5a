import { DomainError } from '@alpenglow/domain/contracts';
import { registerCounter, type Metrics } from '@alpenglow/infra';
import { text, type RequestHandler } from 'express';
import type { PageSource } from '../page-source.ts';
import { createReportLimit } from './report-limit.ts';

/** A violation of the content security policy. It contains no data about the visitor and no URL of a page. */
interface Violation {
  /** The name of the violated directive, or `other`. */
  readonly directive: string;
  /** The kind of the blocked content. */
  readonly blocked: 'inline' | 'eval' | 'trusted-types' | 'blob' | 'data' | 'extension' | 'url' | 'other';
  /** The path of our own script that caused the violation. Null for other scripts. */
  readonly source: string | null;
}

const MAX_BODY = '16kb';
const MAX_REPORTS = 20;
const DIRECTIVES: ReadonlySet<string> = new Set([
  ...['default-src', 'script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem'],
  ...['style-src-attr', 'font-src', 'img-src', 'worker-src', 'media-src', 'connect-src', 'manifest-src'],
  ...['form-action', 'base-uri', 'object-src', 'frame-ancestors', 'frame-src', 'require-trusted-types-for'],
  'trusted-types',
]);
/** The paths of the scripts of this site, which contain no data about a visitor. */
const OWN_SCRIPT = /^https?:\/\/[^/]+(\/(?:assets|mf)\/[\w./-]{1,120})$/u;

/** Registers the counter of violations. Returns the function that counts one. */
export function registerCspMetrics(metrics: Metrics) {
  return registerCounter(
    metrics,
    'csp_reports_total',
    'Violations of the content security policy in browsers',
    ['directive'],
    [...DIRECTIVES, 'other'].map((directive) => ({ directive })),
  );
}

/**
 * Creates the handlers of the reports that browsers send about violations of the content security policy.
 * They count the violations and log them without URLs of pages, addresses of visitors or samples of scripts.
 */
export function cspReports({
  metrics,
  log,
}: {
  readonly metrics: Metrics | null;
  readonly log: PageSource['log'];
}): readonly RequestHandler[] {
  const increment = metrics ? registerCspMetrics(metrics) : () => undefined;
  const countReport = createReportLimit();
  return [
    // The limit comes first, so that the bodies of further requests are not read.
    (req, _res, next) => {
      countReport(req);
      next();
    },
    // Parses the body as text for every content type, because the two kinds of reports have different ones.
    text({ type: () => true, limit: MAX_BODY }),
    (req, res) => {
      const violations = parseReports(String(req.body));
      if (!violations) throw new DomainError('INVALID_REQUEST');
      for (const violation of violations) {
        increment({ directive: violation.directive });
        log.warn({ violation }, 'a browser has blocked content of a page');
      }
      res.status(204).set('Cache-Control', 'no-store').end();
    },
  ];
}

/**
 * Parses reports of the directive `report-uri` (one object) and of the Reporting API (a list). Returns null if the text
 * is no report.
 */
export function parseReports(body: string): readonly Violation[] | null {
  let reports: unknown;
  try {
    reports = JSON.parse(body);
  } catch {
    return null;
  }
  const found = (Array.isArray(reports) ? reports.slice(0, MAX_REPORTS) : [reports]).flatMap((report: unknown) => {
    if (!isObject(report)) return [];
    const { type, body: details, 'csp-report': oldDetails } = report;
    if (type === 'csp-violation' && isObject(details))
      return [toViolation(details['effectiveDirective'], details['blockedURL'], details['sourceFile'])];
    if (isObject(oldDetails)) {
      const directive = oldDetails['effective-directive'] ?? oldDetails['violated-directive'];
      return [toViolation(directive, oldDetails['blocked-uri'], oldDetails['source-file'])];
    }
    return [];
  });
  return found.length === 0 ? null : found;
}

function toViolation(directive: unknown, blocked: unknown, source: unknown): Violation {
  const [name = ''] = toText(directive).split(' ', 1);
  return {
    directive: DIRECTIVES.has(name) ? name : 'other',
    blocked: toKind(toText(blocked)),
    source: OWN_SCRIPT.exec(toText(source))?.[1] ?? null,
  };
}

function toKind(blocked: string): Violation['blocked'] {
  if (blocked === 'inline') return 'inline';
  if (/^(?:wasm-)?eval$/u.test(blocked)) return 'eval';
  if (blocked.startsWith('trusted-types-')) return 'trusted-types';
  if (/^blob\b/u.test(blocked)) return 'blob';
  if (/^data\b/u.test(blocked)) return 'data';
  if (/^[a-z-]+-extension\b/u.test(blocked)) return 'extension';
  return /^https?:/u.test(blocked) ? 'url' : 'other';
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
