import { useState } from 'react';
import { loadWithTexts, useCodeErrorReport, useHost } from '@alpenglow/ui';
import { useText } from '../text.ts';

/**
 * Loads a module and its texts when the visitor needs it, so that a first visit does not download it. If the module
 * cannot be loaded, a toast reports it, and the next call of `request` tries again.
 * @returns the module, or null while it is not loaded, and the function that loads it
 */
export function useModule<Module>(load: () => Promise<Module>): readonly [Module | null, () => void] {
  const t = useText();
  const { notify } = useHost();
  const reportCodeError = useCodeErrorReport();
  const [module, setModule] = useState<{ readonly content: Module } | null>(null);
  const request = () => {
    if (module) return;
    loadWithTexts(load).then(
      (content) => setModule({ content }),
      (error: unknown) => {
        reportCodeError(error);
        notify({ text: t('common.partFailed'), tone: 'danger' });
      },
    );
  };
  return [module?.content ?? null, request];
}
