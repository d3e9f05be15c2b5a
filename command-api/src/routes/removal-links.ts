import {
  DomainError,
  foreignLinkMessage,
  REMOVAL_SUBJECTS_MAX,
  toCaseId,
  toCaseSubject,
  TOO_MANY_CONTENTS,
  type Subject,
  findSubject,
  type AdDirectory,
} from '@alpenglow/domain';
import { findLinkedContent, findPhotosWithHashes, type CommandHandler, type Pool } from '@alpenglow/infra';
import type { Request } from 'express';

/** Returns the base URL of this site without a trailing slash. Without a configured one, it is that of the request. */
export function getSite(req: Request, siteUrl: string | null): string {
  return siteUrl ?? `${req.protocol}://${req.headers.host ?? 'localhost'}`;
}

const withoutWww = (host: string) => host.toLowerCase().replace(/^www\./u, '');

const invalidLinks = (reason: string) => new DomainError('INVALID_FIELDS', { reason }, null, { links: reason });

/**
 * Returns the links of a removal request as addresses of this site. A path such as `/ad/…` is an address of
 * this site. Throws INVALID_FIELDS with a message for the first link of another site.
 */
export function parseLinks(links: readonly string[], site: string): readonly URL[] {
  const { host } = new URL(site);
  return links.map((link) => {
    const absolute = /^(?:https?:\/)?\//iu.test(link) ? link : `https://${link}`;
    const url = URL.canParse(absolute, site) ? new URL(absolute, site) : null;
    if (url && withoutWww(url.host) === withoutWww(host) && /^https?:$/u.test(url.protocol)) return url;
    throw invalidLinks(foreignLinkMessage(link));
  });
}

interface NamedContentDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly ads: AdDirectory;
}

/**
 * Returns the contents that the links and the hashes of a removal request name, each once. A link to a page without
 * such content, e.g. of a deleted ad, names nothing. A moderator reads it nevertheless. Content counts as named while
 * the read model that finds it is too far behind, so that this delays no request. The job `removal` then hides it.
 * Throws INVALID_FIELDS with a message for the links if they name too many contents.
 */
export async function findNamedContent(
  deps: NamedContentDependencies,
  links: readonly URL[],
  hashes: readonly string[],
): Promise<readonly Subject[]> {
  const linked = (await Promise.all(links.map((url) => findLinkedContent(deps.pool, url)))).flat();
  const ids = await findPhotosWithHashes(deps.pool, hashes);
  const candidates = [...linked, ...ids.map((id): Subject => ({ kind: 'media', id }))];
  const different = new Map(candidates.map((candidate) => [toCaseId(candidate), candidate] as const));
  if (different.size > REMOVAL_SUBJECTS_MAX) throw invalidLinks(TOO_MANY_CONTENTS);
  const found = await Promise.all([...different.values()].map((one) => findExisting(deps, one)));
  const named = new Map(found.flatMap((subject) => (subject ? [[toCaseId(subject), subject] as const] : [])));
  return [...named.values()];
}

async function findExisting(deps: NamedContentDependencies, subject: Subject): Promise<Subject | null> {
  try {
    return (await findSubject(deps, subject))?.subject ?? null;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'UNAVAILABLE') return toCaseSubject(subject);
    throw error;
  }
}
