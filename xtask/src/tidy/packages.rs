//! `packages`: each package has the name of its folder, and a README.

use cargo_metadata::Package;

use super::Findings;

pub(super) fn check(packages: &[&Package]) -> Findings {
    let mut violations = Vec::new();
    for package in packages {
        let name = package.name.as_str();
        let folder = package.manifest_path.parent().expect("a manifest is in a folder");
        if folder.file_name() != Some(name) {
            violations.push(format!("package {name} is in {folder}; give both the same name"));
        }
        if !folder.join("README.md").is_file() {
            violations.push(format!(
                "{name} has no README.md; say what it is, what it is not, and the one command that \
                 shows it working"
            ));
        }
    }
    Findings { checked: format!("packages: {} names and READMEs", packages.len()), violations }
}
