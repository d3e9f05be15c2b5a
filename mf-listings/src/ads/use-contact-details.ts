import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AdView, ContactDetails, ContactResponse } from '@alpenglow/domain/contracts';
import { adQuery, isApiError, useApi, useUser, type Api } from '@alpenglow/ui';

/** Returns the mutation that requests the phone number and the links of an ad. */
export function useContactDetails(ad: AdView) {
  const api = useApi();
  const viewer = useUser()?.id ?? null;
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<ContactDetails> => {
      if (ad.contactToken === null) return ad;
      try {
        return await fetchDetails(api, ad.id, ad.contactToken);
      } catch (error) {
        if (!isApiError(error) || error.code !== 'CONTACT_TOKEN_INVALID') throw error;
        // The token has expired, or the device has changed its network. The response for the ad has a new token.
        const { contactToken } = await queryClient.fetchQuery({ ...adQuery(api, ad.id, viewer), staleTime: 0 });
        if (contactToken === null) throw error;
        return await fetchDetails(api, ad.id, contactToken);
      }
    },
  });
}

async function fetchDetails(api: Api, adId: string, token: string): Promise<ContactDetails> {
  const path = `/ads/${encodeURIComponent(adId)}/contact`;
  return (await api.request<ContactResponse>({ method: 'POST', path, body: { token } })).data;
}
