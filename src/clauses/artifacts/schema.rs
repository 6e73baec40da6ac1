//! JSON Schema on a document: every violation with its pointer. `$ref` stays inside the schema.

use super::fault::{Expected, Fault};
use crate::json::{Node, Pointer};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

/// Compiles a schema. No retriever is compiled in, so that a `$ref` can lead nowhere outside it.
///
/// # Errors
/// Returns where in the schema something is wrong, as a JSON Pointer, and what.
pub(super) fn compile(schema: &Value) -> Result<Validator, (String, String)> {
    jsonschema::options()
        .offline()
        .build(schema)
        .map_err(|error| (error.instance_path().as_str().to_owned(), error.to_string()))
}

/// Returns every violation. Their order is that of the validator; the caller sorts by place.
pub(super) fn violations(schema: &Value, root: &Node) -> Vec<Fault> {
    let validator = match compile(schema) {
        Ok(validator) => validator,
        Err((_, message)) => return vec![Fault::whole("schema", format!("the schema cannot be used: {message}"))],
    };
    let document = root.to_json();
    let faults = validator.iter_errors(&document).flat_map(|error| {
        let pointer = error.instance_path().as_str().to_owned();
        let node = Pointer::parse(&pointer).and_then(|pointer| pointer.places(root).pop()?.found.ok()).unwrap_or(root);
        let expected = schema.pointer(error.schema_path().as_str()).cloned();
        let keyword = error.kind().keyword().to_owned();
        told(&error).into_iter().map(move |message| {
            let mut fault = Fault::at("schema", &pointer, node, message).found(node);
            fault.keyword = Some(keyword.clone());
            fault.expected = expected.clone().map_or(Expected::Absent, Expected::Value);
            fault
        })
    });
    faults.collect()
}

/// Says what is wrong, without repeating the document: that stands in `found`.
fn told(error: &jsonschema::ValidationError<'_>) -> Vec<String> {
    use ValidationErrorKind as Kind;
    let one = |text: String| vec![text];
    match error.kind() {
        Kind::Required { property } => one(format!("{property} is missing")),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|key| format!("{key:?} is not expected here")).collect()
        }
        Kind::Constant { expected_value } => one(format!("must be {expected_value}")),
        Kind::Enum { options } => one(format!("must be one of {options}")),
        Kind::Contains => one("no element is as the schema's `contains` asks".to_owned()),
        Kind::FalseSchema => one("nothing is allowed here".to_owned()),
        Kind::AnyOf { .. } => one("is as none of the schemas under `anyOf` asks".to_owned()),
        Kind::OneOfNotValid { .. } => one("is as none of the schemas under `oneOf` asks".to_owned()),
        Kind::OneOfMultipleValid { .. } => one("is as more than one schema under `oneOf` asks".to_owned()),
        Kind::Not { .. } => one("is as the schema under `not` forbids".to_owned()),
        Kind::MinItems { limit } => one(format!("must have at least {limit} elements")),
        Kind::MaxItems { limit } => one(format!("must have at most {limit} elements")),
        Kind::MinLength { limit } => one(format!("must have at least {limit} characters")),
        Kind::MaxLength { limit } => one(format!("must have at most {limit} characters")),
        Kind::MinProperties { limit } => one(format!("must have at least {limit} members")),
        Kind::MaxProperties { limit } => one(format!("must have at most {limit} members")),
        Kind::Minimum { limit } => one(format!("must be {limit} or more")),
        Kind::Maximum { limit } => one(format!("must be {limit} or less")),
        Kind::ExclusiveMinimum { limit } => one(format!("must be more than {limit}")),
        Kind::ExclusiveMaximum { limit } => one(format!("must be less than {limit}")),
        Kind::Pattern { pattern } => one(format!("must match {pattern:?}")),
        Kind::UniqueItems => one("must not hold an element twice".to_owned()),
        _ => one(error.masked_with("this value").to_string()),
    }
}
