//! The expressions of filters and formulas: `status != "done" && file.hasTag("book")`. A name or function that is not known
//! is an error, never ignored.

use super::functions::{FUNCTIONS, METHODS, Signature};
use super::property::{Property, unknown};
use super::tokens::{Token, tokens};
use super::value::Value;
use crate::message;
use crate::message::Message;

/// Maximum depth of brackets in an expression.
const DEPTH: usize = 40;

/// An expression whose names are all known.
#[derive(Debug, Clone)]
pub(super) enum Expression {
    Known(Value),
    List(Vec<Expression>),
    /// A property of the page of a row, or of the page with the base.
    Property {
        of_this: bool,
        property: Property,
    },
    /// `properties["key"]` or `properties.key`.
    Item(Box<Expression>, Box<Expression>),
    /// `if(condition, then, otherwise)`: evaluates only what it returns.
    If(Box<[Expression; 3]>),
    Call {
        signature: &'static Signature,
        /// What a method belongs to, then the arguments.
        given: Vec<Expression>,
    },
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    fn of(sign: &str) -> Option<(Self, u8)> {
        Some(match sign {
            "||" => (Self::Or, 1),
            "&&" => (Self::And, 2),
            "==" => (Self::Equal, 3),
            "!=" => (Self::Unequal, 3),
            "<" => (Self::Less, 4),
            "<=" => (Self::LessOrEqual, 4),
            ">" => (Self::Greater, 4),
            ">=" => (Self::GreaterOrEqual, 4),
            "+" => (Self::Add, 5),
            "-" => (Self::Subtract, 5),
            "*" => (Self::Multiply, 6),
            "/" => (Self::Divide, 6),
            "%" => (Self::Remainder, 6),
            _ => return None,
        })
    }
}

impl Expression {
    /// Reads an expression, or says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, Message> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
        let read = parser.binary(0)?;
        match parser.peek() {
            None => Ok(read),
            Some(token) => Err(message!(
                "`{token}` is not expected in `{text}`",
                token = token.shown(),
                text = text.trim()
            )),
        }
    }

    /// Calls `look` for this expression and all in it.
    pub(super) fn visit<'e>(&'e self, look: &mut dyn FnMut(&'e Self)) {
        look(self);
        match self {
            Self::Known(_) | Self::Property { .. } => {}
            Self::List(items) | Self::Call { given: items, .. } => {
                items.iter().for_each(|item| item.visit(look));
            }
            Self::If(parts) => parts.iter().for_each(|part| part.visit(look)),
            Self::Not(inner) | Self::Negative(inner) => inner.visit(look),
            Self::Item(left, right) | Self::Binary(_, left, right) => {
                left.visit(look);
                right.visit(look);
            }
        }
    }

    fn own(property: Property) -> Self {
        Self::Property { of_this: false, property }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.at += 1;
        token
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), Message> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(match self.peek() {
                Some(token) => message!("`{sign}` is missing before `{token}`", sign, token = token.shown()),
                None => message!("`{sign}` is missing at the end", sign),
            }),
        }
    }

    fn binary(&mut self, least: u8) -> Result<Expression, Message> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(message!("the expression is nested too deeply"));
        }
        let mut left = self.unary()?;
        while let Some(Token::Sign(sign)) = self.peek()
            && let Some((operator, rank)) = Operator::of(sign)
            && rank > least
        {
            self.at += 1;
            let right = self.binary(rank)?;
            left = compared(operator, left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Message> {
        let mut signs = Vec::new();
        while let Some(Token::Sign(sign @ ("!" | "-"))) = self.peek() {
            signs.push(*sign);
            self.at += 1;
        }
        let mut inner = self.postfix()?;
        for sign in signs.into_iter().rev() {
            inner = match sign {
                "!" => Expression::Not(Box::new(inner)),
                _ => Expression::Negative(Box::new(inner)),
            };
        }
        Ok(inner)
    }

    fn postfix(&mut self) -> Result<Expression, Message> {
        let mut inner = self.primary()?;
        loop {
            if self.takes("[") {
                let key = self.binary(0)?;
                self.expect("]")?;
                inner = Expression::Item(Box::new(inner), Box::new(key));
            } else if self.takes(".") {
                let name = self.name(".")?;
                inner = match self.takes("(") {
                    true => self.method(inner, &name)?,
                    false => {
                        let key = Expression::Known(Value::Text(name));
                        Expression::Item(Box::new(inner), Box::new(key))
                    }
                };
            } else {
                return Ok(inner);
            }
        }
    }

    /// The name that follows `before`.
    fn name(&mut self, before: &str) -> Result<String, Message> {
        match self.next() {
            Some(Token::Name(name)) => Ok(name),
            _ => Err(message!("a name is missing after `{before}`", before)),
        }
    }

    fn primary(&mut self) -> Result<Expression, Message> {
        match self.next() {
            Some(Token::Number(number)) => Ok(Expression::Known(Value::Number(number))),
            Some(Token::Text(text)) => Ok(Expression::Known(Value::Text(text))),
            Some(Token::Name(name)) => self.named(name),
            Some(Token::Sign("(")) => {
                let inner = self.binary(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            Some(Token::Sign("[")) => Ok(Expression::List(self.list("]")?)),
            Some(Token::Sign("/")) => Err(message!("UBP does not know regular expressions in bases")),
            Some(token) => Err(message!("a value is missing before `{token}`", token = token.shown())),
            None => Err(message!("a value is missing at the end")),
        }
    }

    fn list(&mut self, end: &str) -> Result<Vec<Expression>, Message> {
        let mut items = Vec::new();
        if self.takes(end) {
            return Ok(items);
        }
        loop {
            items.push(self.binary(0)?);
            if !self.takes(",") {
                self.expect(end)?;
                return Ok(items);
            }
        }
    }

    fn named(&mut self, name: String) -> Result<Expression, Message> {
        if self.takes("(") {
            return self.function(&name);
        }
        Ok(match name.as_str() {
            "true" => Expression::Known(Value::Bool(true)),
            "false" => Expression::Known(Value::Bool(false)),
            "null" | "undefined" => Expression::Known(Value::Nothing),
            "file" => self.of_file(false)?,
            "note" => self.key("note").map(|key| Expression::own(Property::Note(key)))?,
            "formula" => self.key("formula").map(|key| Expression::own(Property::Formula(key)))?,
            "this" => self.of_this()?,
            _ => Expression::own(Property::Note(name)),
        })
    }

    /// The key after `note` or `formula`: `.key` or `["key"]`.
    fn key(&mut self, name: &str) -> Result<String, Message> {
        if self.takes(".") {
            return self.name(".");
        }
        self.expect("[").map_err(|_| message!("a property is missing after `{name}`", name))?;
        let Some(Token::Text(key)) = self.next() else {
            return Err(message!("a property in quotes is missing after `{name}[`", name));
        };
        self.expect("]")?;
        Ok(key)
    }

    /// A property or method of `file`, or the file itself.
    fn of_file(&mut self, of_this: bool) -> Result<Expression, Message> {
        let before = self.at;
        if self.takes(".") {
            let name = self.name("file.")?;
            if matches!(self.peek(), Some(Token::Sign("("))) {
                // A method, which is read with its arguments.
                self.at = before;
            } else {
                let property = Property::of_file(&name).ok_or_else(|| unknown(&format!("file.{name}")))?;
                return Ok(Expression::Property { of_this, property });
            }
        }
        Ok(Expression::Property { of_this, property: Property::File })
    }

    /// `this`, `this.file.name`, `this.status`: the page with the base.
    fn of_this(&mut self) -> Result<Expression, Message> {
        let before = self.at;
        let file = Expression::Property { of_this: true, property: Property::File };
        if self.takes("[") {
            self.at = before;
            return self
                .key("this")
                .map(|key| Expression::Property { of_this: true, property: Property::Note(key) });
        }
        if !self.takes(".") {
            return Ok(file);
        }
        let name = self.name("this.")?;
        if name == "file" {
            return self.of_file(true);
        }
        if name == "note" {
            return self
                .key("note")
                .map(|key| Expression::Property { of_this: true, property: Property::Note(key) });
        }
        if matches!(self.peek(), Some(Token::Sign("("))) {
            self.at = before;
            return Ok(file);
        }
        Ok(Expression::Property { of_this: true, property: Property::Note(name) })
    }

    fn function(&mut self, name: &str) -> Result<Expression, Message> {
        let given = self.list(")")?;
        if name == "if" {
            let mut parts = given.into_iter();
            return match (parts.next(), parts.next(), parts.next(), parts.next()) {
                (Some(condition), Some(then), otherwise, None) => {
                    let otherwise = otherwise.unwrap_or(Expression::Known(Value::Nothing));
                    Ok(Expression::If(Box::new([condition, then, otherwise])))
                }
                _ => Err(message!("`if()` takes a condition and one or two values")),
            };
        }
        called(FUNCTIONS, name, given, 0)
    }

    fn method(&mut self, owner: Expression, name: &str) -> Result<Expression, Message> {
        let mut given = vec![owner];
        given.extend(self.list(")")?);
        called(METHODS, name, given, 1)
    }
}

/// A call of a function, or of a method if `own` of the values are what it belongs to.
fn called(
    known: &'static [Signature],
    name: &str,
    given: Vec<Expression>,
    own: usize,
) -> Result<Expression, Message> {
    let Some(signature) = known.iter().find(|signature| signature.name == name) else {
        return Err(match own {
            0 => message!("UBP does not know the function `{name}()`", name),
            _ => message!("UBP does not know the method `{name}()`", name),
        });
    };
    let count = given.len() - own;
    if count < signature.least || count > signature.most {
        return Err(match (signature.least, signature.most) {
            (least, most) if least == most => {
                message!("`{name}()` takes {least} arguments, not {count}", name, least, count)
            }
            (least, _) if count < least => {
                message!("`{name}()` takes at least {least} arguments, not {count}", name, least, count)
            }
            (_, most) => {
                message!("`{name}()` takes at most {most} arguments, not {count}", name, most, count)
            }
        });
    }
    Ok(Expression::Call { signature, given })
}

/// A comparison. The name of a file has an ending, so one without is compared with the rest of the name.
fn compared(operator: Operator, left: Expression, right: Expression) -> Expression {
    let without_ending = |side: Expression, other: &Expression| match (&side, other) {
        (
            Expression::Property { of_this, property: Property::Name },
            Expression::Known(Value::Text(text)),
        ) if !crate::path::is_page(text) => {
            Expression::Property { of_this: *of_this, property: Property::BaseName }
        }
        _ => side,
    };
    let (left, right) = match operator {
        Operator::Equal | Operator::Unequal => {
            let new_left = without_ending(left, &right);
            let new_right = without_ending(right, &new_left);
            (new_left, new_right)
        }
        _ => (left, right),
    };
    Expression::Binary(operator, Box::new(left), Box::new(right))
}
