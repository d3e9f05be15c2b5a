import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** Finds the operation of a request by method and path. Paths are relative to `/api` and have no query. */

export interface MatchedRequest {
  readonly operation: Operation;
  /** The path parameters by name, still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** One segment of the paths of the operations, with the segments that can follow it. */
interface Segment {
  readonly literals: Map<string, Segment>;
  /** The next segment if that segment is a path parameter. A path parameter matches any text that is not empty. */
  parameter: Segment | null;
  /** The operations whose path ends at this segment, by method. */
  readonly operations: Map<string, Operation>;
}

const newSegment = (): Segment => ({ literals: new Map(), parameter: null, operations: new Map() });
const isParameter = (segment: string) => segment.startsWith('{');

function createTree(operations: readonly Operation[]): Segment {
  const root = newSegment();
  for (const operation of operations) {
    let at = root;
    for (const segment of segmentsOf(operation.path)) {
      if (isParameter(segment)) at = at.parameter ??= newSegment();
      else {
        const next = at.literals.get(segment) ?? newSegment();
        at.literals.set(segment, next);
        at = next;
      }
    }
    at.operations.set(operation.method, operation);
  }
  return root;
}

const TREE = createTree(OPERATIONS);

/**
 * Returns the operation of a request, or null. A literal segment takes precedence over a path parameter, so `GET
 * /ads/user` does not match `GET /ads/{id}`. A HEAD request matches a GET operation. Matching is case-insensitive. One
 * slash at the end of the path is ignored.
 */
export function matchRequest(method: string, path: string): MatchedRequest | null {
  const asMethod = method === 'HEAD' ? 'GET' : method;
  const segments = segmentsOf(path);
  for (const { operations } of findEndNodes(segments)) {
    const operation = operations.get(asMethod);
    if (operation) return { operation, parameters: parametersIn(operation, segments) };
  }
  return null;
}

/**
 * Returns the methods of the operations at a path, in alphabetical order. The result is empty for an unknown
 * path.
 */
export function findMethods(path: string): readonly string[] {
  const methods = new Set(findEndNodes(segmentsOf(path)).flatMap(({ operations }) => [...operations.keys()]));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

/**
 * Returns the property `message` of the error response that the client receives if the server fails.
 * @param message the general message, for operations that do not declare a message
 */
export function getFailureMessage(method: string, path: string, message: string): string {
  const failure = matchRequest(method, path)?.operation.failureMessage ?? null;
  return failure === null ? message : failure.replace('{message}', () => message);
}

/** Splits a path into segments. One slash at the end is ignored. A second slash results in an empty segment. */
function segmentsOf(path: string): readonly string[] {
  return path.replaceAll(/^\/|\/$/gu, '').split('/');
}

/**
 * Returns the nodes of the tree that match a path. At each segment, nodes of a literal match come before nodes of a
 * path parameter.
 */
function findEndNodes(segments: readonly string[], index = 0, at = TREE): readonly Segment[] {
  const segment = segments[index];
  if (segment === undefined) return [at];
  const literal = at.literals.get(segment.toLowerCase());
  return [
    ...(literal ? findEndNodes(segments, index + 1, literal) : []),
    ...(at.parameter && segment !== '' ? findEndNodes(segments, index + 1, at.parameter) : []),
  ];
}

function parametersIn({ path }: Operation, segments: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    segmentsOf(path).flatMap((segment, index) =>
      isParameter(segment) ? [[segment.slice(1, -1), segments[index] ?? '']] : [],
    ),
  );
}
