/** The design system, the API client and the texts: everything browser packages share. Imports are named, unused parts are shaken off. */
export * from './host/contract.ts';
export { Breadcrumbs, type Breadcrumb } from './components/breadcrumbs.tsx';
export {
  Button,
  IconButton,
  LinkButton,
  type ButtonProps,
  type ButtonVariant,
  type IconButtonProps,
  type LinkButtonProps,
} from './components/button.tsx';
export { classNames } from './components/class-names.ts';
export { ConfirmDialog, Dialog, type ConfirmDialogProps, type DialogProps } from './components/dialog.tsx';
export {
  Checkbox,
  Field,
  Radio,
  RadioGroup,
  Select,
  TextArea,
  TextInput,
  type ChoiceProps,
  type FieldProps,
  type RadioGroupProps,
} from './components/field.tsx';
export { Logo, LogoMark, Ridge } from './components/logo.tsx';
export { PageHeading, type PageHeadingProps } from './components/page-heading.tsx';
export { Picture, type PictureProps } from './components/picture.tsx';
export { RichHtml, type RichHtmlProps } from './components/rich-html.tsx';
export { sourceSet } from './components/source-set.ts';
export { EmptyState, ErrorBox, type EmptyStateProps, type ErrorBoxProps } from './components/state-box.tsx';
export { Badge, Card, Skeleton, VisuallyHidden, type BadgeProps, type SkeletonProps } from './components/surface.tsx';
export { TimeAgo, timeAgo, useNow } from './components/time-ago.tsx';
export { ToastRegion, useToasts, type Toast, type ToastRegionProps } from './components/toast.tsx';
export * from './icons/icons.tsx';
export { ApiProvider, useApi } from './api/api-context.tsx';
export { ApiError, isApiError, messageOf } from './api/api-error.ts';
export {
  AD_SORTS,
  createApi,
  type AdFilter,
  type AdSort,
  type AdToEdit,
  type Api,
  type ApiCall,
  type ApiOptions,
  type HealthAnswer,
  type UploadOptions,
} from './api/client.ts';
export { useSendingKey } from './api/use-sending-key.ts';
export { createQueryClient } from './api/query-client.ts';
export { adKeys, adListQuery, adQuery, blogKeys, communityKeys, ownAdsQuery, type AdPages } from './api/queries.ts';
export {
  LOCALES,
  LOCALE_COOKIE,
  LOCALE_NAMES,
  SOURCE_LOCALE,
  isLocale,
  localeFor,
  type Locale,
} from './i18n/locales.ts';
export { activateLocale, loadLocale, type TextValues, type Translate } from './i18n/i18n.ts';
export { firstPosition, FIRST_ANSWERS_ID, type FirstAnswers } from './api/first-answers.ts';
export { serverText } from './i18n/server-text.ts';
export { Localized, textsOf, useLocale, type LocalizedProps, type RichTextProps } from './i18n/text.tsx';
export {
  browserStorage,
  remembering,
  tabStorage,
  type BrowserStorage,
  type PageStorage,
} from './host/browser-storage.ts';
export { saveFile } from './host/save-file.ts';
export { clearDrafts, draftKeys, draftPrefix } from './host/drafts.ts';
export { HostProvider, useHost, useLive, useThreadLive, useUser } from './host/host-context.tsx';
export { lazyPage } from './components/lazy-page.tsx';
export { Page, type PageProps } from './components/page.tsx';
export { ReportProvider, useReport } from './report/report-provider.tsx';
export { CONTACT_EMAIL } from './contact.ts';
