/** The design system, the API client and the messages: everything browser packages share. Imports are named, unused parts are shaken off. */
export * from './host/contract.ts';
export { Button, IconButton, LinkButton, type ButtonProps, type ButtonVariant, type IconButtonProps, type LinkButtonProps } from './components/button.tsx';
export { classNames } from './components/class-names.ts';
export { ConfirmDialog, Dialog, type ConfirmDialogProps, type DialogProps } from './components/dialog.tsx';
export { Checkbox, Field, Radio, RadioGroup, Select, TextArea, TextInput, type ChoiceProps, type FieldProps, type RadioGroupProps } from './components/field.tsx';
export { Logo, LogoMark, Ridge } from './components/logo.tsx';
export { PageHeading, type PageHeadingProps } from './components/page-heading.tsx';
export { Picture, sourceSet, type PictureProps } from './components/picture.tsx';
export { EmptyState, ErrorBox, type EmptyStateProps, type ErrorBoxProps } from './components/state-box.tsx';
export { Badge, Card, Skeleton, VisuallyHidden, type BadgeProps, type SkeletonProps } from './components/surface.tsx';
export { TimeAgo, timeAgo, useNow } from './components/time-ago.tsx';
export { ToastRegion, useToasts, type Toast, type ToastRegionProps } from './components/toast.tsx';
export * from './icons/icons.tsx';
