import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { adPreviewFields, type AdPreviewFields, type ResponseOf } from '@alpenglow/domain/contracts';
import { previewAd, useApi, useUser } from '@alpenglow/ui';
import type { FormValues } from './form-values.ts';

const PREVIEWED = Object.keys(adPreviewFields.shape) as readonly (keyof AdPreviewFields)[];
const toTexts = (values: FormValues) =>
  Object.fromEntries(PREVIEWED.map((field) => [field, values[field]])) as Record<keyof AdPreviewFields, string>;

/**
 * Returns the texts of the form as visitors see them, and the number of contact details in them. Only the server knows
 * what visitors do not see. Null for guests, before the response, and if the server rejects the texts.
 */
export function useVisitorTexts(values: FormValues, isEnabled = true): ResponseOf<'previewAd'>['data'] | null {
  const api = useApi();
  const isSignedIn = useUser() !== null;
  const texts = toTexts(values);
  const { data } = useQuery({
    queryKey: ['ad-preview', texts],
    queryFn: ({ signal }) => previewAd(api, texts, signal),
    enabled: isEnabled && isSignedIn && Object.values(texts).some((text) => text.trim() !== ''),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return data ?? null;
}
