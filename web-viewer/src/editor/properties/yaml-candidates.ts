// Candidates in front matter that is shown as YAML: keys, and their values.
import { pickedCompletion, startCompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { fold } from '../../text/fold';
import { pageContext, type PageContext } from '../page-context';
import type { Candidate } from '../smart-linking';
import { scalarText } from './edits';
import { fieldOf } from './keys';
import { isForm, shownProperties, type Shown } from './shown';
import { Suggestions, type Choice } from './suggestions';
import { keysIn, placeIn, type YamlPlace } from './yaml-place';

/** Milliseconds for which what other pages have is used without asking again. */
const FRESH = 10_000;

const known = new WeakMap<PageContext, { time: number; suggestions: Suggestions }>();

function suggestionsFor(context: PageContext): Suggestions {
  const found = known.get(context);
  if (found && Date.now() - found.time < FRESH) return found.suggestions;
  const suggestions = new Suggestions(context);
  known.set(context, { time: Date.now(), suggestions });
  return suggestions;
}

function put(view: EditorView, candidate: Candidate, from: number, to: number, text: string, isMore: boolean): void {
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, annotations: pickedCompletion.of(candidate), userEvent: 'input.complete', scrollIntoView: true });
  if (isMore) startCompletion(view);
}

function keyCandidate({ text, note }: Choice): Candidate {
  return { kind: 'property', label: text, where: note, apply: (view, candidate, from, to) => put(view, candidate as Candidate, from, to, `${text}: `, true) };
}

function valueCandidate({ text, label, note }: Choice, form: YamlPlace['form']): Candidate {
  return { kind: 'property', label, where: note, apply: (view, candidate, from, to) => put(view, candidate as Candidate, from, to, scalarText(text, form), false) };
}

/** Answers at once where nothing is offered, because every key asks. */
export function yamlCandidates({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> | null {
  const context = state.facet(pageContext);
  const shown = state.field(shownProperties, false);
  if (!context || !shown?.matter || isForm(shown) || pos < shown.at || pos > shown.at + shown.source.length) return null;
  const place = placeIn(shown.source, pos - shown.at);
  if (!place || (place.key === null && place.typed === '' && !explicit)) return null;
  return candidatesAt(context, shown, place, explicit);
}

async function candidatesAt(context: PageContext, { source, at }: Shown, place: YamlPlace, explicit: boolean): Promise<CompletionResult | null> {
  const { key, typed, form } = place;
  const suggestions = suggestionsFor(context);
  const wanted = fold(typed.trim());
  const choices = key === null ? await suggestions.keys(typed, keysIn(source)) : await valuesOf(context, suggestions, place, explicit);
  // Enter should not replace what somebody has finished: only what begins like it is offered, and nothing if it is complete.
  const fitting = choices.filter(({ label, text }) => text.startsWith('[[') || fold(label).startsWith(wanted));
  if (fitting.length === 0 || fitting.some(({ text }) => text === typed.trim())) return null;
  return { from: at + place.from, options: fitting.map((choice) => (key === null ? keyCandidate(choice) : valueCandidate(choice, form))), filter: false };
}

async function valuesOf(context: PageContext, suggestions: Suggestions, { key, typed }: YamlPlace, explicit: boolean): Promise<Choice[]> {
  const name = key ?? '';
  const { completes } = fieldOf(name, 'text', context.answers.linkTypes);
  const isEmpty = typed.trim() === '' && !explicit;
  return isEmpty && completes !== 'types' ? suggestions.allowed(name, typed) : suggestions.for(completes, typed, name);
}
