// Which tokens of code get which class. The colours are in `styles/code.css`, for reading and writing.
import { tagHighlighter, tags } from '@lezer/highlight';

const classes = {
  'md-keyword': [tags.keyword, tags.operatorKeyword, tags.modifier],
  'md-string': [tags.string, tags.special(tags.string), tags.regexp],
  'md-number': [tags.number, tags.bool, tags.null, tags.atom],
  'md-comment': [tags.comment, tags.lineComment, tags.blockComment],
  'md-function': [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.definition(tags.function(tags.variableName)), tags.macroName, tags.standard(tags.variableName)],
  'md-type': [tags.typeName, tags.className, tags.namespace, tags.tagName],
  'md-property': [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)],
  'md-inserted': [tags.inserted],
  'md-deleted': [tags.deleted],
};

export const codeColours = tagHighlighter(Object.entries(classes).flatMap(([name, list]) => list.map((tag) => ({ tag, class: name }))));
