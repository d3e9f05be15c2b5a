import { useQueryClient } from '@tanstack/react-query';
import type { AdView, ContactDetails } from '@alpenglow/domain/contracts';
import { adQuery, isApiError, useApi, useUser, type Api, useSend } from '@alpenglow/ui';

/** Returns the mutation that requests the phone number, the links and the complete texts of an ad. */
export function useContactDetails(ad: AdView, onShown: (details: ContactDetails) => void) {
  const api = useApi();
  const viewer = useUser()?.id ?? null;
  const queryClient = useQueryClient();
  return useSend({
    mutationFn: async (): Promise<ContactDetails> => {
      if (ad.contactToken === null && hasDetails(ad)) return { ...ad, texts: ad };
      try {
        if (ad.contactToken !== null) return await fetchDetails(api, ad.id, ad.contactToken);
      } catch (error) {
        if (!isApiError(error) || error.code !== 'CONTACT_TOKEN_INVALID') throw error;
      }
      // The ad is from the first HTML, which contains no token. Or the token has expired, or the device has changed its
      // network. The response for the ad has a new token.
      const fresh = await queryClient.fetchQuery({ ...adQuery(api, ad.id, viewer), staleTime: 0 });
      return fresh.contactToken === null ? { ...fresh, texts: fresh } : fetchDetails(api, ad.id, fresh.contactToken);
    },
    onSuccess: onShown,
  });
}

/** Returns true if the response for the ad contains the contact details. This is the case for the owner. */
const hasDetails = ({ phone, socialMedia }: AdView) =>
  phone !== null || Object.values(socialMedia).some((link) => link !== null);

async function fetchDetails(api: Api, adId: string, token: string): Promise<ContactDetails> {
  const path = `/ads/${encodeURIComponent(adId)}/contact` as const;
  return (await api.request<'getContactDetails'>({ method: 'POST', path, body: { token } })).data;
}
