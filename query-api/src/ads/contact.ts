import { AD_ID_PATTERN, DomainError } from '@alpenglow/domain';
import { CONTACT_TOKEN_LIFETIME_s, createOperationRouter, getInput } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { sendUncached } from '../send-uncached.ts';
import type { AdReader } from './ad-reader.ts';

/** Maximum number of requests with one token. More than one, so that a client can repeat a failed request. */
const USES_OF_TOKEN = 3;

interface ContactDependencies extends Dependencies<'authentication' | 'contactTokens' | 'counters'> {
  readonly ads: AdReader;
}

/** The API operation that returns the phone number and the links of an ad. */
export function contactRoutes({ ads, authentication, contactTokens, counters }: ContactDependencies) {
  /** Counts a use of the token. Returns true if the token is valid for this request and was not used too often. */
  async function canUse(token: string, adId: string, address: string | undefined): Promise<boolean> {
    if (!contactTokens.isValid(token, adId, address)) return false;
    if (!counters) return true;
    const uses = await counters.add(`contact-token:${token}`, 1, CONTACT_TOKEN_LIFETIME_s);
    return uses.count <= USES_OF_TOKEN;
  }

  return createOperationRouter().on('getContactDetails', async (req, res) => {
    const { id } = req.params;
    const principal = await authentication.findPrincipal(req);
    if (!AD_ID_PATTERN.test(id) || !(await canUse(getInput(req).token, id, req.ip)))
      throw new DomainError('CONTACT_TOKEN_INVALID');
    const found = await ads.find(id, principal?.account ?? null);
    if (!found) throw new DomainError('AD_NOT_FOUND');
    sendUncached(res, { success: true, message: 'Contact details loaded', data: found.contact });
  });
}
