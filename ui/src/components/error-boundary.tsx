import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** A change of one of these values clears the error and renders the children again. Their number is constant. */
  readonly resetKeys?: readonly unknown[];
  /** Its result replaces the children. `Host.describeError` returns the part of the error that the visitor may see. */
  readonly fallback: (error: unknown) => ReactNode;
  /** Called once for each error. */
  readonly onError?: (error: unknown) => void;
  readonly children: ReactNode;
}
interface State {
  readonly failure: { readonly error: unknown } | null;
  readonly resetKeys: readonly unknown[];
}

const NO_KEYS: readonly unknown[] = [];

/** Renders `fallback` instead of the children if a child throws an error while rendering. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, State> {
  override state: State = { failure: null, resetKeys: this.props.resetKeys ?? NO_KEYS };

  static getDerivedStateFromError(error: unknown): Pick<State, 'failure'> {
    return { failure: { error } };
  }

  static getDerivedStateFromProps({ resetKeys = NO_KEYS }: ErrorBoundaryProps, state: State): State | null {
    const isSame = resetKeys.every((key, index) => Object.is(key, state.resetKeys[index]));
    return isSame ? null : { failure: null, resetKeys };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError?.(error);
  }

  override render() {
    const { failure } = this.state;
    return failure ? this.props.fallback(failure.error) : this.props.children;
  }
}
