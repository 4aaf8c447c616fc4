// The values of the contract in words for people.
import type { GetProposalKind, StaleReason, Staleness } from '#contract';
import * as vscode from 'vscode';

const { t } = vscode.l10n;

export function reason(reason: StaleReason): string {
  switch (reason) {
    case 'changed':
      return t('changed');
    case 'body_changed':
      return t('body changed');
    case 'contract_changed':
      return t('contract changed');
    case 'missing':
      return t('missing');
    case 'unknown_shallow_clone':
      return t('unknown: shallow clone');
    case 'page_edited_after_source':
      return t('page edited after the code');
    case 'suspect':
      return t('depends on a stale page');
    case 'expired':
      return t('expired');
  }
}

export function staleness(staleness: Staleness): string {
  switch (staleness) {
    case 'stale':
      return t('stale');
    case 'possibly_stale':
      return t('possibly stale');
    case 'fresh':
      return t('fresh');
    case 'untracked':
      return t('describes no code');
  }
}

export function stalenessIcon(staleness: Staleness): vscode.ThemeIcon {
  switch (staleness) {
    case 'stale':
      return new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
    case 'possibly_stale':
      return new vscode.ThemeIcon('history', new vscode.ThemeColor('list.warningForeground'));
    case 'fresh':
      return new vscode.ThemeIcon('pass');
    case 'untracked':
      return new vscode.ThemeIcon('file');
  }
}

export function change(kind: GetProposalKind): string {
  switch (kind) {
    case 'created':
      return t('new');
    case 'edited':
      return t('edited');
    case 'moved':
      return t('moved');
    case 'deleted':
      return t('deleted');
    case 'recorded':
      return t('review');
  }
}
