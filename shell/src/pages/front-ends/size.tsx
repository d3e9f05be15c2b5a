import { useLocale } from '@alpenglow/ui';

/** Shows a size in kB, where 1 kB is 1000 bytes. Shows a dash if the size is unknown. */
export function Size({ bytes }: { readonly bytes: number | null }) {
  const locale = useLocale();
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 0 });
  return <span>{bytes === null ? '–' : format.format(bytes / 1000)}</span>;
}
