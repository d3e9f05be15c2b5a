/**
 * The design system, the API client and the texts that all browser packages share. The build removes unused exports
 * from the bundles.
 */
export * from './host/contract.ts';
export { Breadcrumbs, type Breadcrumb } from './components/breadcrumbs.tsx';
export { Button, IconButton, LinkButton } from './components/button.tsx';
export { ContactMarks } from './components/contact-marks.tsx';
export { classNames } from './components/class-names.ts';
export { DataTable } from './components/data-table.tsx';
export { DraftNote, RestoredText } from './components/draft-note.tsx';
export { useFormDraft } from './components/use-form-draft.ts';
export { ConfirmDialog, Dialog, FormDialog, MessageDialog } from './components/dialog.tsx';
export { Checkbox, Field, FieldError, Radio, RadioGroup, Select, TextArea, TextInput } from './components/field.tsx';
export { errorsByField, focusFirstError } from './components/field-errors.ts';
export { createResolver, showFieldErrors, useServerErrors, type ValidationResult } from './components/form-errors.ts';
export { default as layout } from './components/layout.module.css';
export { Explanation } from './components/explanation.tsx';
export { FieldPair } from './components/field-pair.tsx';
export { CityOptions, StateOptions } from './components/place-options.tsx';
export { ChipLink, Chips, LinkChips } from './components/link-chips.tsx';
export { Highlight } from './components/highlight.tsx';
export { LinkRow, LinkRows } from './components/link-rows.tsx';
export { Loading } from './components/loading.tsx';
export { Choice, Menu } from './components/menu.tsx';
export { NewEntries } from './components/new-entries.tsx';
export { PagedList } from './components/paged-list.tsx';
export { FirstPageLink, isPlainClick, MoreLink, useNextPageUrl, useStartCursor } from './components/page-links.tsx';
export { PagedTable, type PagedTableProps } from './components/paged-table.tsx';
export { QueryError, QueryView } from './components/query-view.tsx';
export { useDebounced } from './components/use-debounced.ts';
export { Logo, LogoMark, Ridge } from './components/logo.tsx';
export { PageHeading } from './components/page-heading.tsx';
export { PrivateMedia, useMediaUrl } from './media/private-media.tsx';
export { Picture } from './components/picture.tsx';
export { RichHtml } from './components/rich-html.tsx';
export { ErrorBoundary } from './components/error-boundary.tsx';
export { CrashedBox } from './components/crashed-box.tsx';
export { EmptyState, ErrorBox } from './components/state-box.tsx';
export { Badge, Card, Skeleton, VisuallyHidden, type BadgeProps } from './components/surface.tsx';
export { UploadProgress, useSharePercentage } from './components/upload-progress.tsx';
export { getServerTime_ms, TimeAgo, useIsRecent, useNow } from './components/time-ago.tsx';
export { ToastRegion, useToasts, type Toast } from './components/toast.tsx';
export * from './icons/icons.tsx';
export * from './icons/page-icons.tsx';
export { useApi } from './api/api-context.tsx';
export { ApiError, isApiError, isOutcomeUnknown, getErrorMessage as messageOf } from './api/api-error.ts';
export { createApi, type AdFilter, type Api, type OperationRequest } from './api/client.ts';
export * from './api/account-calls.ts';
export { adCounts, listAds, nearbyAds, userAds } from './api/ad-calls.ts';
export { downloadSignedIn, uploadFiles, type UploadOptions } from './api/files.ts';
export * from './api/own-ad-calls.ts';
export * from './api/review-calls.ts';
export * from './api/session-calls.ts';
export { forceSync, getHealth, getSyncStatus } from './api/system-calls.ts';
export { useIdempotencyKey as useSendingKey } from './api/use-idempotency-key.ts';
export { useSend, useSubmit } from './api/use-send.ts';
export { useWrite, type WriteOptions } from './api/use-write.ts';
export { createUploads } from './uploads/resumable-upload.ts';
export type { ResumableOptions, Uploads } from './uploads/uploads.ts';
export { waitForConnection } from './uploads/wait-for-connection.ts';
export { isPermanentError, withRetries } from './uploads/with-retries.ts';
export { createQueryClient } from './api/query-client.ts';
export { signedInPagedQuery, pagedQuery } from './api/paged-query.ts';
export { parseObject } from './api/parse-object.ts';
export { decodeUrlPart, toQueryString as queryOf } from './api/query-string.ts';
export { createTimeLimit } from './api/time-limit.ts';
export { createRandomHex, createTraceparent } from './api/traceparent.ts';
export { adKeys, adListQuery, adQuery, blogKeys, communityKeys, ownAdsQuery, type AdPages } from './api/queries.ts';
export {
  LOCALES,
  LOCALE_COOKIE,
  LOCALE_NAMES,
  SOURCE_LOCALE,
  isLocale,
  negotiateLocale as localeFor,
  type Locale,
} from './i18n/locales.ts';
export { getLocalePrefix, parseLocalePath, toLocalePath } from './i18n/locale-path.ts';
export { loadLocale } from './i18n/i18n.ts';
export { getEmbeddedPosition as firstPosition, hydrateQueries } from './api/embedded-responses.ts';
export { translateServerText as serverText } from './i18n/server-text.ts';
export { LocaleProvider as Localized, registerTexts as textsOf, useLocale } from './i18n/text.tsx';
export {
  getBrowserStorage as browserStorage,
  withMemoryFallback as remembering,
  getTabStorage as tabStorage,
  clearTabStorage,
  isLocalStorageEvent,
  listKeys,
  type BrowserStorage,
  type PageStorage,
} from './host/browser-storage.ts';
export { parseStoredIds } from './host/parse-stored-ids.ts';
export {
  COOKIES,
  getFavoritesKey,
  getLastServerFavoritesKey,
  isRetainedKey,
  LIVE_NOTICES_OFF,
  LOCAL_KEYS,
  TAB_KEYS,
} from './host/stored-keys.ts';
export { storeUnsentFavorites, takeUnsentFavorites } from './host/unsent-favorites.ts';
export { useIsNarrow } from './host/use-is-narrow.ts';
export { useLinkToken } from './host/use-link-token.ts';
export { useMediaQuery } from './host/use-media-query.ts';
export { useIsHydrated, useTimeZone, type Hydration } from './host/rendering.ts';
export { createDraftStore, createTextDraftStore } from './host/draft-store.ts';
export { useTextDraft, type TextDraft } from './host/use-text-draft.ts';
export { useShare } from './host/use-share.ts';
export { saveFile } from './host/save-file.ts';
export { warnBeforeLeaving, useLeaveWarning } from './host/use-leave-warning.ts';
export {
  clearDraftFiles,
  resumeClearingDraftFiles,
  clearDrafts,
  DRAFT_FILES,
  DRAFT_LIFETIME_ms,
} from './host/drafts.ts';
export {
  HostProvider,
  useHost,
  useAdLiveMessages as useLive,
  useThreadLiveMessages as useThreadLive,
  useStableInterest,
  useUser,
} from './host/host-context.tsx';
export { createPacer, usePacer } from './live/pacer.ts';
export { lazyPage } from './components/lazy-page.tsx';
export { lazySection } from './components/lazy-section.tsx';
export { loadWithTexts, useCodeErrorReport } from './components/load-code.ts';
export { isLoadFailure } from './components/load-failure.ts';
export { Page } from './components/page.tsx';
export { findOptions } from './components/typeahead/find-options.ts';
export { SuggestionList } from './components/typeahead/suggestion-list.tsx';
export { Typeahead, type SuggestionsProps } from './components/typeahead/typeahead.tsx';
export { ReportProvider, useOpenReport as useReport } from './report/report-provider.tsx';
export { CONTACT_EMAIL } from './contact.ts';
export { createTrustedText } from './trusted-types.ts';
